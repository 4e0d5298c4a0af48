import { describe, expect, it } from 'vitest';
import { createFakeCompute, type FakeRun } from '../../../infra/compute/fake.ts';
import { testCompute } from './conformance.ts';
import { bytes, followToEnd, LIMITS, specOf } from './conformance/support.ts';

/** Simulated runs for commands of the suite, by the first words of the command. */
const SCRIPTS: Record<string, FakeRun> = {
  'echo once': { seconds: 0, lines: ['once'] },
  'echo started; sleep 0.3': { seconds: 0.3, lines: ['started'] },
  'echo early; sleep': { seconds: 1, lines: ['early'] },
  'i=0; while [ $i -lt 400 ]': { seconds: 0.5, lines: Array.from({ length: 400 }, (_, i) => `line ${i} é`) },
  'while :; do echo tick': { seconds: 60, lines: Array<string>(1200).fill('tick') },
  'echo up; sleep 4326': { seconds: 4326 },
  'echo hello; mkdir out': {
    seconds: 0.1,
    lines: ['hello'],
    artefacts: [
      { path: 'out/a.bin', content: bytes('abc') },
      { path: 'big', content: new Uint8Array(2000) },
    ],
  },
  "trap '' TERM; while :;": { seconds: 4326 },
};

function script(command: string): FakeRun {
  const [, known] = Object.entries(SCRIPTS).find(([words]) => command.startsWith(words)) ?? [];
  return known ?? { seconds: Number(/^sleep ([\d.]+)/.exec(command)?.[1] ?? 0) };
}

testCompute({
  name: 'the fake host',
  create: async () => createFakeCompute({ host: 'fake', script: ({ command }) => script(command) }),
  skip: {
    processes: {
      reason: 'it starts no process, so that none has an environment, a signal or a time of birth',
      but: [
        'starts once when launched twice at once',
        'starts once when launched at once under different fences',
        'is followed from an offset without a lost or doubled byte',
        'is reported at once while it still runs',
        'is reported with the time since when it may have been there, once somebody has looked',
        'is looked at again and again while it is silent',
      ],
    },
    files: {
      reason: 'it writes no file: what a run leaves is scripted',
      but: [
        'is collected: artefacts, missing ones, too large ones, the log',
        'is removed, however hostile its names and modes',
      ],
    },
    streams: 'it prints to stdout alone',
    shortTmp: 'it starts no process',
    limits: {
      reason: 'nothing takes CPU time, memory, room or processes',
      but: ['of wall clock ends a run that hangs and ignores TERM'],
    },
    waiting: { reason: 'it computes nothing', but: ['is not counted for a run without a limit of time'] },
    converse: {
      reason: 'it has no program: each chunk is answered by a function, which neither ends, fails nor complains',
      but: [
        'takes one round trip for each question',
        'carries megabytes unharmed',
        'is refused for good once its run was removed, as is collecting that run',
        'is refused while the run has not ended',
      ],
    },
    setup: 'it runs no command: every stage is prepared when it is asked to be',
    stage: 'it keeps no files of a stage that could be damaged',
    aside: 'it keeps no files of a stage that could be damaged',
    containment: 'it starts no process that could get away',
    sandbox: 'it starts no process that could see anything',
  },
});

describe('a simulated run', () => {
  const compute = createFakeCompute({
    host: 'fake',
    script: () => ({
      seconds: 0.2,
      lines: ['a', 'b'],
      exitCode: 3,
      artefacts: [{ path: 'x', content: Buffer.from('y') }],
    }),
    answer: (chunk) => Buffer.from(chunk).reverse(),
  });

  it('prints its lines over its time and leaves its artefacts', async () => {
    await compute.stage('stage1', []);
    const spec = specOf('anything');
    await compute.launch(spec);
    const { text, end } = await followToEnd(compute, spec);
    expect(text).toBe('a\nb\n');
    expect(end).toMatchObject({ reason: 'exit', exitCode: 3 });
    expect(end.wallSeconds).toBeGreaterThan(0.15);
    const wanted = ['x', 'z'].map((path) => ({ path, maxBytes: 10 }));
    expect(await compute.collect(spec, { artefacts: wanted })).toMatchObject({
      artefacts: [{ path: 'x' }],
      missing: ['z'],
      tooLarge: [],
    });
    const talk = await compute.converse(spec);
    await talk.write(Buffer.from('abc'));
    const answers = talk.output[Symbol.asyncIterator]();
    expect(Buffer.from((await answers.next()).value as Uint8Array).toString()).toBe('cba');
    talk.end();
    expect((await answers.next()).done).toBe(true);
  });

  it('ends at its wall limit', async () => {
    const spec = specOf('anything', { limits: { ...LIMITS, wallSeconds: 0.05 } });
    await compute.launch(spec);
    expect((await followToEnd(compute, spec)).end).toMatchObject({ reason: 'wall', exitCode: null });
  });
});
