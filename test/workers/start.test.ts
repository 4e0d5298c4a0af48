import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hostName } from '../../workers/host-name.ts';
import { keptProposers } from '../../workers/describe-start.ts';
import { recordOf } from '../../activities/research/research-settings.ts';
import { insertResearch, TASK } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';

describe('the name of a host', () => {
  let home: string;
  beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'perpetua-host-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  test('workers that start at once agree on the name of their machine, and leave nothing else', async () => {
    const names = await Promise.all(Array.from({ length: 20 }, () => hostName(home)));
    expect(new Set(names).size).toBe(1);
    expect(readFileSync(join(home, 'host'), 'utf8').trim()).toBe(names[0]);
    expect(readdirSync(home)).toEqual(['host']);
  });

  test('a lost name must be written again, since runs under way are found by it', async () => {
    writeFileSync(join(home, 'host'), '');
    await expect(hostName(home)).rejects.toThrow("Write the host of this machine's open runs into it");
  });
});

describe('proposers that are kept', () => {
  const bench = useDatabase();

  test('a worker that could ask a model names the researches under way that keep random', async () => {
    // The settings that a start records have the proposer that `auto` was resolved to.
    const { settings } = recordOf(String, { task: TASK, proposer: 'random' });
    await insertResearch(bench.db, 'kept', { proposer: 'random', phase: 'running', settings });
    const overrides = { search: { proposer: 'random' } };
    await insertResearch(bench.db, 'chosen', { proposer: 'random', phase: 'running', settings, overrides });
    await insertResearch(bench.db, 'asks', { proposer: 'llm', phase: 'running' });
    await insertResearch(bench.db, 'over', { proposer: 'random', phase: 'stopped' });
    const lines = await keptProposers(bench.db);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('npx perpetua stop kept');
  });
});
