import { describe, expect, test } from 'vitest';
import {
  type AnswerFacts,
  type Attribution,
  attributeAnswer,
  attributeEnd,
  attributeError,
  attributeLoss,
  type EndFacts,
  failedHost,
  hostDecides,
  hostDecidesAnswer,
} from '../../../domain/fault/attribute.ts';
import { HOST_FAULTS } from '../../../domain/fault/host-fault.ts';
import { Task } from '../../../domain/task/task.ts';
import type { FailureLabel } from '../../../domain/trial.ts';

const taskOf = (kind: 'wall' | 'reference' | 'cpu', progress?: { pattern: string; steps?: number }): Task =>
  Task.parse({
    name: 'tiny',
    description: 'falling curves',
    mutable: ['train.mjs'],
    run: { command: 'node train.mjs', budget: { seconds: 60, kind } },
    metric: { name: 'loss', direction: 'minimize', from: 'evaluator' },
    evaluator: { type: 'artefact', command: 'node evaluate.mjs' },
    ...(progress ? { progress } : {}),
  });
const WALL = taskOf('wall');
const REFERENCE = taskOf('reference');
const CPU = taskOf('cpu');
const PATTERN = '^step (?<step>\\d+) loss (?<value>\\S+)$';
/** A task whose curves are measured by seconds, so that a slow run looks worse. */
const WALL_CURVE = taskOf('wall', { pattern: PATTERN });
const CPU_CURVE = taskOf('cpu', { pattern: PATTERN });
const CPU_STEPS = taskOf('cpu', { pattern: PATTERN, steps: 100 });

const LACK = 'the GPU GPU-1 is gone';
const WELL: EndFacts['end'] = {
  reason: 'exit',
  exitCode: 0,
  signal: null,
  wallSeconds: 10,
  cpuSeconds: 10,
  missing: [],
  sandboxed: true,
};
const FAILED = { exitCode: 1 };
const KILLED = { reason: 'killed', exitCode: null } as const;
/** Other processes kept the run from its core until the backstop ended it. */
const STARVED = { reason: 'wall', exitCode: null, backstop: true } as const;
/** Other processes kept the run from its core for half of its time. */
const WAITED = { cpuSeconds: 5, waitSeconds: 5 };

const stopOf = (label: FailureLabel | null) => label && { label, message: '' };
/** The party in one word; for a host, the cause. */
const worded = (fault: Attribution): string => (fault.party === 'host' ? fault.cause : fault.party);

describe('an end on a sound host, and on one that lacks something', () => {
  const ends: [
    name: string,
    facts: { end?: Partial<EndFacts['end']>; stop?: FailureLabel; task?: Task },
    sound: string,
    lacking?: string,
  ][] = [
    ['went well', {}, 'nobody'],
    ['failed', { end: FAILED }, 'candidate', 'lacking'],
    ['left no artefact', { end: { missing: ['model.bin'] } }, 'candidate', 'lacking'],
    ['hung until its time was over', { end: { reason: 'wall' } }, 'candidate', 'lacking'],
    ['printed nothing', { end: KILLED, stop: 'stalled' }, 'candidate', 'lacking'],
    ['was too slow', { end: KILLED, stop: 'too-slow' }, 'candidate', 'lacking'],
    ['took too much memory', { end: { reason: 'memory' } }, 'candidate'],
    ['exceeded its disk limit', { end: { reason: 'disk' } }, 'candidate'],
    ['exceeded its CPU time', { end: { reason: 'cpu' } }, 'candidate'],
    ['printed too much', { end: { reason: 'output' } }, 'candidate'],
    ['started too many processes', { end: { reason: 'processes' } }, 'candidate'],
    ['diverged', { end: KILLED, stop: 'diverged' }, 'candidate'],
    ['printed a value that is not finite', { end: KILLED, stop: 'not-finite' }, 'candidate'],
    ['could not win', { end: KILLED, stop: 'cannot-win' }, 'nobody'],
    ['was stopped by a person', { end: KILLED, stop: 'stopped-by-operator' }, 'nobody'],
    ['was killed, and no rule asked for it', { end: KILLED }, 'killed'],
    ['had a damaged workspace, and went well', { end: { damaged: 'data.txt' } }, 'damaged'],
    ['had a damaged workspace, and failed', { end: { ...FAILED, damaged: 'data.txt' } }, 'damaged'],
    ['had a damaged workspace, and diverged', { end: { ...KILLED, damaged: 'data.txt' }, stop: 'diverged' }, 'damaged'],
    [
      'had a damaged workspace, and could not win',
      { end: { ...KILLED, damaged: 'data.txt' }, stop: 'cannot-win' },
      'nobody',
    ],
    ['lost its workspace without a sandbox', { end: { ...FAILED, aside: true, sandboxed: false } }, 'damaged'],
    ['kept its workspace in a sandbox', { end: { ...FAILED, aside: true } }, 'candidate', 'lacking'],
    ['lost its workspace, and went well', { end: { aside: true, sandboxed: false } }, 'nobody'],
    ['failed, and its host was booted', { end: { ...FAILED, rebooted: true } }, 'rebooted'],
    ['went well, and its host was booted', { end: { rebooted: true } }, 'nobody'],
    ['took too much memory, and its host was booted', { end: { reason: 'memory', rebooted: true } }, 'candidate'],
    ['waited for its core, by wall clock', { end: WAITED }, 'nobody'],
    ['waited for its core until the backstop', { end: STARVED }, 'platform', 'lacking'],
    ['waited for its core until the backstop, by CPU time', { end: STARVED, task: CPU }, 'platform', 'lacking'],
    ['waited, and then had all of its time', { end: { ...WAITED, reason: 'wall' } }, 'candidate', 'lacking'],
    ['waited for its core, by reference seconds', { end: WAITED, task: REFERENCE }, 'nobody'],
    // If these stops did not count, a run on a shared core could sleep to hide a bad result.
    ['waited for a CPU, and was too slow', { end: { ...WAITED, ...KILLED }, stop: 'too-slow' }, 'candidate', 'lacking'],
    [
      'waited for a CPU, and printed nothing',
      { end: { ...WAITED, ...KILLED }, stop: 'stalled' },
      'candidate',
      'lacking',
    ],
    [
      'waited for a CPU, and printed nothing, by reference seconds',
      { end: { ...WAITED, ...KILLED }, stop: 'stalled', task: REFERENCE },
      'candidate',
      'lacking',
    ],
    [
      'waited for a CPU, and could not win by the wall clock',
      { end: { ...WAITED, ...KILLED }, stop: 'cannot-win', task: WALL_CURVE },
      'nobody',
    ],
    [
      'waited for its core, was slow and stopped, by CPU time',
      { end: { ...WAITED, ...KILLED }, stop: 'too-slow', task: CPU },
      'platform',
      'lacking',
    ],
    ['waited for its core, by CPU time', { end: WAITED, task: CPU }, 'platform'],
    ['waited for its core, and failed', { end: { ...WAITED, ...FAILED }, task: CPU }, 'candidate', 'lacking'],
    [
      'waited for its core, and printed nothing',
      { end: { ...WAITED, ...KILLED }, stop: 'stalled', task: CPU },
      'platform',
      'lacking',
    ],
    ['waited for its core, and diverged', { end: { ...WAITED, ...KILLED }, stop: 'diverged', task: CPU }, 'candidate'],
    [
      'waited for its core, and could not win by the clock',
      { end: { ...WAITED, ...KILLED }, stop: 'cannot-win', task: CPU_CURVE },
      'platform',
    ],
    [
      'waited for its core, and could not win by its steps',
      { end: { ...WAITED, ...KILLED }, stop: 'cannot-win', task: CPU_STEPS },
      'nobody',
    ],
  ];

  test.each(ends)('of a run that %s', (_, { end = {}, stop = null, task = WALL }, sound, lacking = sound) => {
    const facts = { task, end: { ...WELL, ...end }, stop: stopOf(stop) };
    expect(worded(attributeEnd({ ...facts, lacks: null }))).toBe(sound);
    expect(worded(attributeEnd({ ...facts, lacks: LACK }))).toBe(lacking);
    // A host is probed only if the probe decides.
    expect(hostDecides(facts)).toBe(sound !== lacking);
  });

  test('names the damaged or missing part in words', () => {
    const facts = { task: WALL, end: { ...WELL, ...FAILED }, stop: null };
    expect(attributeEnd({ ...facts, lacks: LACK })).toEqual({ party: 'host', cause: 'lacking', words: LACK });
    const inUse = 'in use by others: GPU 0';
    expect(attributeEnd({ ...facts, lacks: inUse })).toEqual({ party: 'host', cause: 'in-use', words: inUse });
    expect(attributeEnd({ ...facts, end: { ...WELL, damaged: 'data.txt is gone' }, lacks: null })).toMatchObject({
      words: expect.stringMatching(/changed the prepared files of the task.* \(data\.txt is gone\)\. /) as string,
    });
  });
});

test.each<[FailureLabel | null, Task, boolean, string]>([
  [null, WALL, true, 'no-end'],
  ['cannot-win', WALL, true, 'nobody'],
  ['not-finite', WALL, true, 'candidate'],
  ['diverged', WALL, true, 'candidate'],
  ['diverged', CPU, true, 'candidate'],
  // The process may still be running.
  ['diverged', WALL, false, 'no-end'],
  // The host may have caused the stop.
  ['stalled', WALL, true, 'no-end'],
  ['too-slow', WALL, true, 'no-end'],
  ['stopped-by-operator', WALL, true, 'no-end'],
  ['cannot-win', CPU_CURVE, true, 'no-end'],
  ['cannot-win', CPU_STEPS, true, 'nobody'],
])('a loss after the stop %s is held against its party', (stop, task, gone, party) => {
  expect(worded(attributeLoss({ task, stop: stopOf(stop), gone }))).toBe(party);
});

describe('a failed evaluation on a sound host, and on one that lacks something', () => {
  const exit = { reason: 'exit' } as const;
  const rows: [FailureLabel | null, AnswerFacts['talk'], string, string?][] = [
    [null, exit, 'nobody'],
    [null, null, 'nobody'],
    ['output-limit', exit, 'candidate'],
    ['cpu-time', exit, 'candidate'],
    ['out-of-memory', exit, 'candidate'],
    ['too-many-processes', exit, 'candidate'],
    ['disk-limit', exit, 'candidate'],
    ['evaluator-changed', exit, 'platform'],
    ['candidate-protocol', exit, 'candidate', 'lacking'],
    ['evaluator-failed', { reason: 'wall' }, 'candidate', 'lacking'],
    ['candidate-protocol', { ...exit, rebooted: true }, 'rebooted'],
    ['candidate-protocol', null, 'answer-killed', 'lacking'],
    ['candidate-protocol', { reason: 'killed' }, 'answer-killed', 'lacking'],
    ['candidate-protocol', { reason: 'killed', endedBy: 'stop' }, 'candidate', 'lacking'],
    ['candidate-protocol', { reason: 'killed', endedBy: 'others' }, 'candidate', 'lacking'],
  ];
  test.each(rows)('with %s, if the program ended as %o', (failure, talk, sound, lacking = sound) => {
    expect(worded(attributeAnswer({ failure, talk, lacks: null }))).toBe(sound);
    expect(worded(attributeAnswer({ failure, talk, lacks: LACK }))).toBe(lacking);
    expect(hostDecidesAnswer({ failure, talk })).toBe(sound !== lacking);
  });
});

test('an error is attributed to its host, its task, nobody, or the platform', () => {
  const withCode = (code: string) => Object.assign(new Error(code), { code });
  const withType = (type: string) => Object.assign(new Error(type), { type });
  const codesOf = (party: string) => HOST_FAULTS.filter((code) => attributeError(withCode(code)) === party);
  const host = ['host-unreachable', 'host-key', 'host-auth', 'host-config', 'host-unusable', 'run-gone'];
  expect(codesOf('host')).toEqual(host);
  expect(codesOf('task')).toEqual(['no-sandbox', 'cannot-show', 'setup-failed']);
  expect(codesOf('nobody')).toEqual(['host-unknown', 'slot-taken', 'stage-missing', 'talk-replaced']);
  const types = ['WorkspaceNotKept', 'SetupFailedError', 'TooLittleMemory', 'ToolsMissing', 'Fenced', 'toString'];
  expect(types.map(withType).map(attributeError)).toEqual(['host', 'task', 'task', 'task', 'platform', 'platform']);
  expect([withCode('ENOENT'), new Error('ours'), null].map(attributeError)).toEqual([
    'platform',
    'platform',
    'platform',
  ]);
  // Only a launch handles WorkspaceNotKept; elsewhere it is no failure of a host.
  expect([withCode('run-gone'), withType('WorkspaceNotKept')].map(failedHost)).toEqual(['run-gone', null]);
});
