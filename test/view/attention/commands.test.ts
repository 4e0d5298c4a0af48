import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { isTrialId } from '../../../domain/trial/ids.ts';
import { DEEDS_AFTER_END, deedsOf } from '../../../view/attention/deeds.ts';
import { NO_BEGINNINGS, type AttentionFacts, type AttentionHost } from '../../../view/attention/facts.ts';
import { HOST_DEEDS } from '../../../view/attention/host-deeds.ts';
import { needsYou } from '../../../view/attention/needs-you.ts';
import { allCommands } from '../../docs/reference/commands.ts';
import { CALM } from './calm.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const AT = '2026-11-20T10:00:00.000Z';
const newest = { trialId: 'lab/4', status: 'crashed' as const, reason: 'x' };
const usd = { spent: 3, limit: 3 };
const queue = { pool: 'local', trials: 2, seconds: 90, slots: 2, taken: 1, holders: [], away: [] };
const learning = { version: 3, pinned: false, halted: 'entropy fell' };
const fired = { k: 7, at: AT, words: 'lr is lower', then: 'tell' as const };

/** A research for each rule, and for variants whose commands differ. */
const RESEARCHES: Partial<AttentionFacts>[] = [
  { phase: 'failed', reason: 'the workflow broke' },
  { endpointDown: 'policy: it is down', since: { ...NO_BEGINNINGS, endpointDown: AT } },
  { evaluatorDown: { trialId: 'lab/4', model: 'judge', why: '503', at: AT } },
  { budget: { ...CALM.budget, usd } },
  { budget: { ...CALM.budget, usd, whenSpent: 'stop' } },
  { phase: 'waiting', reason: 'disk: 1 MiB free, at least 512 MiB needed' },
  { phase: 'waiting', reason: 'database: it could not store the last trials: x' },
  { phase: 'waiting', reason: 'setup: it failed in the last trials: pip' },
  { queue },
  { queue: { ...queue, pool: 'agents', slots: 0, taken: 0 } },
  { contention: { runs: 1, newest: { trialId: 'lab/4', host: 'box', words: 'busy' } } },
  { losingStreak: { trials: 3, orMore: false, newest } },
  { failedBaseline: { trials: 1, newest } },
  { learning },
  { learning: { ...learning, pinned: true, halted: null }, gatesFired: [fired] },
  { untrustedBest: 'lab/4' },
  { phase: 'paused', reason: 'paused by a person' },
];

const HOST: AttentionHost = {
  name: 'box',
  state: 'serving',
  quarantineSeconds: 30,
  seenSecondsAgo: 100,
  lastError: 'ssh: timed out',
  since: AT,
};
const HOSTS = [HOST, { ...HOST, quarantineSeconds: null, seenSecondsAgo: null }];

const found = [
  ...RESEARCHES.map((facts) => needsYou({ researches: [{ ...CALM, id: 'lab', ...facts }], hosts: [] }, NOW)),
  needsYou({ researches: [], hosts: HOSTS }, NOW),
];
const entries = found.flatMap(({ attention }) => attention);
const shown = [...new Set([...entries, ...found.flatMap(({ states }) => states)].flatMap(({ commands }) => commands))];

const commands = await allCommands();
for (const command of commands.flatMap((one) => [one, ...one.commands])) {
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  if (command.commands.length === 0) command.action(() => undefined);
}

/** Parses a command line as the program does, without its effect; returns the command with its arguments. */
async function parse(line: string): Promise<{ command: Command; words: string[] }> {
  const [npx, program, name, ...rest] = line.split(' ');
  expect([npx, program]).toEqual(['npx', 'perpetua']);
  const outer = commands.find((one) => one.name() === name);
  if (outer === undefined) return expect.unreachable(`there is no command ${name}`);
  await outer.parseAsync(rest, { from: 'user' });
  const inner = outer.commands.find((one) => one.name() === rest[0]);
  return { command: inner ?? outer, words: (inner ?? outer).args };
}

test('every rule of what needs a person has an entry with a command here', () => {
  const rules = [...deedsOf(NOW), ...DEEDS_AFTER_END, ...HOST_DEEDS].map(({ name }) => name);
  expect(new Set(entries.map(({ key }) => key.split(':')[0]))).toEqual(new Set(rules));
  expect(entries.filter((entry) => entry.commands.length === 0)).toEqual([]);
});

describe('the command table takes', () => {
  test.each(shown)('%s', async (line) => {
    const { command, words } = await parse(line);
    for (const [index, argument] of command.registeredArguments.entries()) {
      const word = words[index];
      if (word === undefined) continue;
      if (argument.name() === 'trial') expect({ word, isTrial: isTrialId(word) }).toEqual({ word, isTrial: true });
      if (['id', 'research'].includes(argument.name())) expect(word).toBe('lab');
    }
  });
});

test.each(['npx perpetua status lab --now', 'npx perpetua diff', 'npx perpetua fleet mend box'])(
  'a command that does not exist is found: %s',
  async (line) => {
    await expect(parse(line)).rejects.toThrow();
  },
);
