import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../support/cli.ts';

let folder = '';
let file = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perpetua-abort-'));
  file = join(folder, 'curves.jsonl');
  const lines = Array.from({ length: 40 }, (_, k) => {
    const end = 1 + ((k * 17) % 40) / 40;
    const val = Array.from({ length: 21 }, (_unused, i) => [i * 5, end + 2 - i / 10]);
    return JSON.stringify({ track: 't', group: `g${k}`, run: `r${k}`, steps: 100, val, train: [] });
  });
  await writeFile(file, lines.join('\n'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const replay = (...more: string[]) => run(['abort', 'replay', '--curves', file, '--repeats', '2', ...more]);

describe('perpetua abort replay', () => {
  it('says where to get curves if none are named', async () => {
    const { code, stderr } = await run(['abort', 'replay']);
    expect(code).toBe(2);
    expect(stderr).toContain('--curves');
    expect(stderr).toContain('npx perpetua export curves nano-lm > curves.jsonl');
  });

  it('prints the contract with --json', async () => {
    const { code, json } = await replay('--json', '--rule', 'none', 'matched-time');
    expect(code).toBe(0);
    const [report] = json() as [{ curves: number; rules: Record<string, unknown>[] }];
    expect(report.curves).toBe(40);
    expect(report.rules.map(({ rule }) => rule)).toEqual(['none', 'matched-time']);
    for (const rule of report.rules)
      expect(Object.keys(rule)).toEqual([
        'rule',
        'settings',
        'runs',
        'aborted',
        'wouldBeIncumbents',
        'falseAborts',
        'falseAbortLower95',
        'falseAbortUpper95',
        'savedShare',
        'gain',
        'regret',
      ]);
    expect(report.rules[0]).toMatchObject({ runs: 80, aborted: 0, falseAborts: 0, savedShare: 0, gain: 1, regret: 0 });
  });

  it('begins with the curves of an earlier research, and leaves out those of another unit', async () => {
    const gainOf = async (...more: string[]): Promise<number> => {
      const { json, stderr } = await replay('--json', '--rule', 'matched-time', ...more);
      expect(stderr.includes('as a research would drop them')).toBe(more[1] === other);
      const [{ rules }] = json() as [{ rules: { gain: number }[] }];
      return rules[0]?.gain ?? 0;
    };
    const other = join(folder, 'other-unit.jsonl');
    const lines = (await readFile(file, 'utf8')).split('\n').map((line) => {
      const curve = JSON.parse(line) as { val: [number, number][] };
      // All values but the last are in another unit than the metric.
      return JSON.stringify({ ...curve, val: curve.val.map(([at, value], i) => [at, i < 20 ? 1000 * value : value]) });
    });
    await writeFile(other, lines.join('\n'));
    const [alone, knowing, dropping] = [await gainOf(), await gainOf('--known', file), await gainOf('--known', other)];
    expect(knowing).toBeGreaterThan(alone);
    expect(dropping).toBe(alone);
  });

  it('replays a rule with its own settings beside the rule by itself', async () => {
    const { json } = await replay('--json', '--audit-first', '0', '--rule', 'asha', '{name: asha, eta: 2}', 'asha');
    const [{ rules }] = json() as [{ rules: { rule: string; settings: object; aborted: number }[] }];
    expect(rules).toMatchObject([
      { rule: 'asha', settings: {} },
      { rule: 'asha', settings: { eta: 2 } },
    ]);
    expect(rules[1]?.aborted).not.toBe(rules[0]?.aborted);
  });

  it.each([
    ['asah', 'expected "none" or "matched-time"'],
    ['{name: asha, eta: 99}', 'eta: expected a number of at most 10, got the number 99'],
  ])('refuses a rule that is not known, or a setting: %s', async (rule, words) => {
    const { code, stderr } = await replay('--rule', rule);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  it('reads falling losses as values to minimize, even if the metric is a score, and says so', async () => {
    const scored = join(folder, 'scored.jsonl');
    const lines = Array.from({ length: 40 }, (_, k) => {
      const loss = 1 + ((k * 17) % 40) / 40;
      const train = Array.from({ length: 21 }, (_unused, i) => [i * 5, loss + 2 - i / 10]);
      return JSON.stringify({
        track: 't',
        group: `g${k}`,
        run: `r${k}`,
        steps: 100,
        val: [[100, 1 - loss / 3]],
        train,
      });
    });
    await writeFile(scored, lines.join('\n'));
    const args = [
      'abort',
      'replay',
      '--curves',
      scored,
      '--direction',
      'maximize',
      '--rule',
      'matched-time',
      '--audit-first',
      '0',
      '--json',
    ];
    const { json, stderr } = await run(args);
    expect(stderr).toContain('curves are read as values to minimize; --curve-direction changes that');
    const [report] = json() as [{ rules: { gain: number; falseAborts: number }[] }];
    expect(report.rules[0]?.gain).toBeGreaterThan(1);
    const other = await run([...args, '--curve-direction', 'maximize']);
    expect(other.json()).toMatchObject([{ rules: [{ aborted: 0, gain: 1 }] }]);
    expect(other.stderr).toContain('read as values to maximize: is --curve-direction right?');
  });

  it('uses the directions of the file, and warns of a flag that contradicts them, or of two tracks', async () => {
    const exported = join(folder, 'exported.jsonl');
    const lines = (track: string, direction: string): string =>
      Array.from({ length: 40 }, (_, k) => {
        const loss = 1 + ((k * 17) % 40) / 40;
        const train = Array.from({ length: 21 }, (_unused, i) => [i * 5, loss + 2 - i / 10]);
        const val = [[100, direction === 'maximize' ? 1 - loss / 3 : loss]];
        const stated = { direction, curveDirection: 'minimize', monitored: 'train', whole: true };
        return JSON.stringify({ track, group: `g${k}`, run: `r${k}`, steps: 100, val, train, ...stated });
      }).join('\n');
    await writeFile(exported, lines('score', 'maximize'));
    const on = (file: string, ...more: string[]) =>
      run([
        'abort',
        'replay',
        '--curves',
        file,
        '--rule',
        'matched-time',
        '--audit-first',
        '0',
        '--repeats',
        '2',
        ...more,
      ]);
    const right = await on(exported, '--json');
    expect(right.stderr).toBe('');
    expect((right.json() as [{ rules: { gain: number }[] }])[0].rules[0]?.gain).toBeGreaterThan(1);
    const wrong = await on(exported, '--direction', 'minimize');
    expect(wrong.stderr).toContain('says that its metric is to maximize; --direction minimize overrides that');
    expect(wrong.stderr).toContain('runs whose curves look better end worse, so matched-time stops nothing');
    const both = join(folder, 'both.jsonl');
    await writeFile(both, `${lines('score', 'maximize')}\n${lines('loss', 'minimize')}`);
    expect((await on(both)).stderr).toContain('Expected metrics and curves of one direction');
    expect((await on(both, '--track', 'loss')).code).toBe(0);
    const two = join(folder, 'two.jsonl');
    await writeFile(two, `${lines('a', 'minimize')}\n${lines('b', 'minimize')}`);
    expect((await on(two)).stderr).toContain('has 2 tracks (a, b), replayed as one; --track picks one');
  });

  it('doubts the direction if most curves end worse than they begin', async () => {
    const asked = 'most curves end worse than they begin, read as values to maximize: is --direction right?';
    const { code, stderr } = await replay('--rule', 'none', '--direction', 'maximize');
    expect({ code, asked: stderr.includes(asked) }).toEqual({ code: 0, asked: true });
    expect((await replay('--rule', 'none')).stderr).toBe('');
  });

  it('replays a rule with the care that was asked for', async () => {
    // The end of a run shows gradually: at first, noise hides it that is as large as the differences between runs.
    const noisy = join(folder, 'noisy.jsonl');
    const lines = Array.from({ length: 80 }, (_, k) => {
      const final = ((k * 17) % 40) / 40;
      const noise = Math.sin(k * 12.9898) * 0.8;
      const train = Array.from({ length: 21 }, (_unused, i) => [i * 5, 2 + final - i / 10 + noise * (1 - i / 20)]);
      return JSON.stringify({ track: 't', group: `g${k}`, run: `r${k}`, steps: 100, val: [[100, final]], train });
    });
    await writeFile(noisy, lines.join('\n'));
    const saved = async (...more: string[]): Promise<number> => {
      const usual = ['--curves', noisy, '--rule', 'matched-time', '--audit-first', '0', '--repeats', '2', '--json'];
      const [report] = (await run(['abort', 'replay', ...usual, ...more])).json() as [
        { rules: { savedShare: number }[] },
      ];
      return report.rules[0]?.savedShare ?? NaN;
    };
    const asIs = await saved();
    expect(asIs).toBeGreaterThan(0);
    expect(await saved('--burn-in', '0.8')).toBeLessThan(asIs);
    expect(await saved('--cadence', '0.9')).toBeLessThan(asIs);
    expect(await saved('--error-target', '0.0001')).toBeLessThan(asIs);
  });

  it('prints a line for every rule without --rule', async () => {
    const { code, stdout } = await replay('--slots', '4', '--incumbent', 'quantile', '--direction', 'maximize');
    expect(code).toBe(0);
    for (const name of ['none', 'matched-time', 'median', 'asha', 'power-law-sprt', 'power-law-sprt-corrected'])
      expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
    expect(stdout).toContain('undecided');
  });

  it.each([
    [['--rule', 'guess'], 'got the text "guess"'],
    [['--slots', '0'], 'Expected a whole number from 1 to 1000'],
    [['--audit-share', '1.1'], 'Expected a share from 0 to 1.'],
    [['--burn-in', '1'], 'Expected a share from 0 to 0.999'],
    [['--cadence', '0'], 'Expected a share from 0.005 to 0.999'],
    [['--error-target', 'x'], 'Expected a share from 0.0001 to 0.067'],
    [['--track', 'nothing'], 'got nothing.'],
  ])('refuses %j', async (more, message) => {
    const { code, stderr } = await replay(...more);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('refuses a missing file, with the error as JSON if --json was given', async () => {
    const missing = await run(['abort', 'replay', '--curves', join(folder, 'none.jsonl'), '--json']);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('got no such file');
    expect(missing.json()).toMatchObject([{ error: { code: 'refused' } }]);
  });

  it.each([
    ['', 'at CURVES, got an empty one; '],
    ['\n \n', 'at CURVES, got an empty one; '],
    ['\x7fELF\0\x01\x02', 'at CURVES, got one that is not text; '],
    ['{"track": 1}\n', 'CURVES, line 1: expected steps to be a number above 0, got nothing; '],
    ['step 1 loss 2\n', 'CURVES, line 1: expected one JSON object, got "step 1 loss 2"; '],
  ])('refuses a file that holds %j with its name and says where to get one', async (text, message) => {
    const bad = join(folder, 'bad.jsonl');
    await writeFile(bad, text);
    const { code, stderr } = await run(['abort', 'replay', '--curves', bad]);
    expect(code).toBe(2);
    expect(stderr).toContain(message.replace('CURVES', bad));
    expect(stderr).toContain('`npx perpetua export curves <research> > curves.jsonl`');
  });

  it('refuses a folder by its name', async () => {
    const { code, stderr } = await run(['abort', 'replay', '--curves', folder]);
    expect({ code, said: stderr.includes(`Expected a file of curves at ${folder}, got a folder; `) }).toEqual({
      code: 2,
      said: true,
    });
  });
});
