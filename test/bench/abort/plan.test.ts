import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAMILIES, HARDER_FAMILIES } from '../../../bench/abort/families.ts';
import { planOf } from '../../../bench/abort/plan.ts';
import { packageRoot } from '../../../config/paths.ts';

let folder = '';
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'perpetua-bench-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const bench = (...args: string[]): Promise<{ code: unknown; stderr: string }> =>
  new Promise((resolve) => {
    const file = join(packageRoot(), 'dist/bench/abort.js');
    execFile(process.execPath, [file, ...args], (error, _, stderr) => resolve({ code: error?.code ?? 0, stderr }));
  });

describe('the command line of the bench of early abort', () => {
  it('is read with its defaults', () => {
    expect(planOf([])).toMatchObject({ file: null, researches: 300, others: 20, repeats: 4, firstTest: null });
    expect(planOf([]).families).toEqual([...FAMILIES, ...HARDER_FAMILIES]);
    expect(planOf(['--family', 'drift', '--family', 'late winners']).families).toEqual(['drift', 'late winners']);
    expect(planOf(['--rule', 'asha', '-', '4', 'a'])).toMatchObject({ file: null, rules: ['asha'], tracks: ['a'] });
    expect(planOf(['--rule', '{name: asha, eta: 4}']).rules).toEqual([{ name: 'asha', eta: 4 }]);
    expect(planOf(['--first-test', '3', 'c.jsonl'])).toMatchObject({ file: 'c.jsonl', firstTest: 3 });
  });

  it.each([
    [['--bogus', '1'], "Unknown option '--bogus'"],
    [['--researches'], "'--researches <value>' argument missing"],
    [['--researches', 'x'], '--researches: expected a whole number from 0 on, got x'],
    [['--others', '0'], '--others: expected a whole number from 1 on, got 0'],
    [['--first-test', ''], '--first-test: expected a whole number from 1 on, got nothing'],
    [['--rule', 'none'], '--rule: expected a rule that stops runs, got none'],
    [['--rule', '{name: asha, eta: 1}'], '--rule: eta: expected a number of at least 2'],
    [['--family', 'nope'], '--family: expected one of power law, '],
    [['c.jsonl', 'x'], 'the repeats, behind the file: expected a whole number from 1 on, got x'],
  ])('is refused as %j', (args, message) => {
    expect(() => planOf(args)).toThrow(message);
  });

  it('ends with the problem and the usage if it is wrong, without a stack', async () => {
    const { code, stderr } = await bench('--researches', 'x');
    expect({ code, lines: stderr.trim().split('\n') }).toEqual({
      code: 2,
      lines: [expect.stringContaining('--researches: '), expect.stringContaining('Usage: npx tsx bench/abort.ts ')],
    });
  });

  it('ends at once if its file is missing, or lacks the tracks', async () => {
    const missing = await bench('--researches', '0', join(folder, 'none.jsonl'));
    expect(missing).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^Expected a file .*none.jsonl, got no such file; .*\n$/),
    });
    const own = join(folder, 'own.jsonl');
    await writeFile(own, JSON.stringify({ track: 'own', group: 'g', run: 'r', steps: 1, val: [[1, 1]], train: [] }));
    const other = await bench('--researches', '0', own);
    expect(other.stderr).toContain(`${own}: expected the track track_1_short, got own; name those behind the repeats`);
    const few = await bench('--researches', '0', own, '4', 'own');
    expect(few.stderr).toContain('expected at least 2 whole curves of own');
  });
});
