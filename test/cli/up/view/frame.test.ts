import { describe, expect, it } from 'vitest';
import { renderFrame, renderWaiting } from '../../../../cli/up/view/frame.ts';
import { createScreen } from '../../../../cli/up/view/screen.ts';
import type { Asked } from '../../../../cli/temporal/ask-temporal.ts';
import type { Failing } from '../../../../cli/temporal/failing.ts';
import type { Snapshot } from '../../../../cli/up/view/snapshot.ts';
import { widthOf } from '../../../../cli/render/text/text.ts';
import { ended, options, snapshot } from '../../support/snapshot.ts';

const failing = (n: number): Failing => ({
  workflowId: `toy/${n}`,
  trial: n,
  activity: 'score',
  attempt: 7,
  message: 'no room',
  since: '2026-11-01T11:50:30.000Z',
  nextAttemptSeconds: 30,
});
const asked = (count: number): Asked => ({
  finding: null,
  notes: ['no worker polls'],
  failing: Array.from({ length: count }, (_, index) => ({ ...failing(index + 1), message: `no room on ${index}` })),
  error: null,
});

describe('a frame of the live view', () => {
  it('shows phase with reason, best against baseline, slots, spend, verdicts, addresses and how to steer', () => {
    const text = renderFrame(
      snapshot([ended(5, { status: 'crashed', failure: 'exit-code', value: null }), ended(4, { trusted: false })]),
      options,
    ).join('\n');
    for (const part of [
      'toy · waiting: the model endpoint is down · 1 h active',
      '1.50 bits  toy/4 · gain +0.70 = +3.5 sd of one run',
      '+0.60 (95 %: +0.40 to +0.80) corrected for selection',
      '          best run of a proposal 1.20 (#9), not confirmed by itself',
      '2.20 bits  sd of one run 0.2000 (3 runs)',
      '1 of 2 busy · 2 trials at once · proposer random',
      '1 min 1 s on slots · 12.3k tokens · $0.42',
      '5 of 60 trials · 7 of 290 proposals · 1 min 1 s of 1 h on slots · 12.3k of 50.0k tokens',
      '! 2 min ago: signal puase ignored',
      'temporal  export TEMPORAL_ADDRESS=127.0.0.1:7233 PATH=/home/me/p/.perpetua/bin:$PATH',
      '! the noise is skewed',
      '#6  search  running  4.0 s  step 100: 2.500  x',
      '#5  search  exit-code',
      '1.500 untrusted',
      '30 s ago',
      'not better',
      'http://127.0.0.1:8233/x',
      'postgres://u@127.0.0.1/db',
      'npx perpetua pause | resume | stop toy',
    ])
      expect(text).toContain(part);
  });

  it('shows what its caller has to say before the alerts', () => {
    const lines = renderFrame(snapshot([]), { ...options, rows: 24, notes: ['toy keeps random'] });
    const notices = lines.filter((line) => line.startsWith('! '));
    expect(notices[0]).toBe('! toy keeps random');
  });

  it.each([
    [20, 5],
    [40, 10],
    [60, 24],
    [80, 24],
    [200, 60],
  ])('never leaves a terminal of %i columns and %i rows', (columns, rows) => {
    const many = Array.from({ length: 100 }, (_, n) => ended(100 - n));
    const lines = renderFrame(snapshot(many), { ...options, columns, rows });
    expect(lines.length).toBeLessThan(rows);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  it.each([
    [80, 24],
    [110, 36],
    [80, 16],
    [200, 60],
  ])('keeps addresses and steering on a terminal of %i columns and %i rows', (columns, rows) => {
    const many = Array.from({ length: 100 }, (_, n) => ended(100 - n));
    const one = snapshot(many);
    one.running = Array.from({ length: 30 }, () => one.running[0] as Snapshot['running'][number]);
    const lines = renderFrame(one, { ...options, columns, rows, asked: asked(9) });
    const foot = lines.map((line) => line.slice(0, 10).trim());
    for (const label of ['dashboard', 'temporal', 'postgres', 'steer']) expect(foot).toContain(label);
    // Where there is no room for both, the one leads to the other.
    expect(foot.includes('web ui')).toBe(rows > 24);
    if (rows >= 24)
      for (const part of ['under way', 'last verdicts']) expect(lines.some((line) => line.startsWith(part))).toBe(true);
    if (rows >= 36) expect(lines.filter((line) => line === '')).toHaveLength(3);
  });

  it.each([18, 20, 22, 24])('says how many trials it has no line for on %i rows', (rows) => {
    const one = snapshot(Array.from({ length: 100 }, (_, n) => ended(100 - n)));
    one.running = [6, 7].map((n) => ({ ...one.running[0], n }) as Snapshot['running'][number]);
    const lines = renderFrame(one, { ...options, columns: 80, rows });
    const shown = lines.filter((line) => /^ {2}#[67] /.test(line)).length;
    const heading = lines.find((line) => line.startsWith('under way'));
    if (heading) expect([shown, heading]).toEqual(shown === 2 ? [2, 'under way'] : [1, 'under way (and 1 more)']);
  });

  it.each([40, 60, 80, 120])('keeps its columns in line on %i columns, whatever the cells hold', (columns) => {
    const odd = [
      ended(1234, { kind: 'injected', ofTrial: 1199, value: -123456.789 }),
      ended(5, {
        status: 'crashed',
        failure: 'metric-out-of-bounds',
        value: null,
        hypothesis: '幅を広げる '.repeat(30),
      }),
      ended(4, { verdict: 'keep', hypothesis: 'WIDTH 1\u{1f680} → 2' }),
    ];
    const lines = renderFrame(snapshot(odd), { ...options, columns, rows: 60 });
    const rows = odd.map(({ n }) => lines.find((line) => line.startsWith(`  #${n} `)) ?? '');
    const starts = rows.map((row, index) => {
      const word = index === 1 ? 'metric-o' : index === 0 ? 'discard' : 'keep';
      return row.indexOf(word);
    });
    expect(new Set(starts)).toEqual(new Set([starts[0]]));
    const values = ['-123457', '–', '1.5'].map((value, index) => widthOf(rows[index]?.split(` ${value}`)[0] ?? ''));
    if (columns >= 60) expect(new Set(values).size).toBe(1);
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  it('has one line for the runs that a race made, and the verdicts under it', () => {
    const one = snapshot([ended(17, { verdict: 'keep', reason: 'race won' }), ended(40)]);
    one.status.races = [{ ofTrial: 41, runs: 5 }];
    const lines = renderFrame(one, options).map((line) => line.trim().split(/  +/).slice(0, 3).join(' '));
    const from = lines.indexOf('last verdicts');
    expect(lines.slice(from, from + 5)).toEqual([
      'last verdicts',
      'racing #41 against the best: 5 runs so far',
      '#17 search keep',
      'race won',
      '#40 search discard',
    ]);
  });

  it('gives each variable a line of its own where the shell line does not fit', () => {
    const lines = renderFrame(snapshot([]), { ...options, columns: 80 });
    expect(lines).toContain('temporal  export TEMPORAL_ADDRESS=127.0.0.1:7233');
    expect(lines).toContain('          export PATH=/home/me/p/.perpetua/bin:$PATH');
  });

  it('shows first what fails again and again, and how much more there is to see', () => {
    const lines = renderFrame(snapshot([]), { ...options, rows: 24, asked: asked(5) });
    const notices = lines.filter((line) => line.startsWith('!'));
    expect(notices[0]).toBe('! score of #1 fails, attempt 7, for 10 min, again in 30 s: no room on 0');
    expect(notices.at(-1)).toBe('! and 4 more: npx perpetua status toy');
    const few = renderFrame(snapshot([]), { ...options, rows: 60, asked: asked(1) });
    expect(few.filter((line) => line.startsWith('!')).slice(1)).toEqual([
      '! no worker polls',
      '! 2 min ago: signal puase ignored',
      '! the noise is skewed',
    ]);
  });

  it('says what fails of a research that has not come into the database yet', () => {
    const one = { ...failing(1), workflowId: 'toy', trial: null, activity: 'openResearch' };
    const shown = { asked: { ...asked(0), notes: [], failing: [one] }, now: options.now, columns: 100 };
    expect(renderWaiting('toy', shown)).toEqual([
      'waiting for the research toy to start',
      '! openResearch of the research fails, attempt 7, for 10 min, again in 30 s: no room',
    ]);
  });

  it('says how a research that is paused goes on', () => {
    const one = snapshot([]);
    Object.assign(one.status, { phase: 'paused', reason: 'by a person' });
    const lines = renderFrame(one, { ...options, columns: 70, rows: 24 });
    expect(lines).toContain('! it is paused. To go on: npx perpetua resume toy');
  });

  it('says when what it shows is old', () => {
    expect(renderFrame(snapshot([]), { ...options, away: 'Postgres does not answer' }).join('\n')).toContain(
      '! Postgres does not answer',
    );
  });
});

describe('the screen', () => {
  const terminal = () => {
    const written: string[] = [];
    const out = { columns: 80, rows: 24, write: (text: string) => written.push(text) };
    return { written, out, screen: createScreen(out) };
  };

  it('redraws over the last frame and writes only the lines that changed', () => {
    const { written, screen } = terminal();
    screen.draw(['one', 'two', 'three']);
    screen.draw(['one', 'TWO', 'three']);
    expect(written[1]).toContain('\x1b[3A\r\nTWO\x1b[K\n\n');
    expect(written[1]).not.toContain('one');
  });

  it('writes nothing while nothing changes', () => {
    const { written, screen } = terminal();
    screen.draw(['one']);
    screen.draw(['one']);
    expect(written).toHaveLength(1);
  });

  it('starts anew when the terminal has another width', () => {
    const { written, out, screen } = terminal();
    screen.draw(['one']);
    out.columns = 40;
    screen.draw(['one']);
    expect(written[1]).toContain('\x1b[2J\x1b[Hone\x1b[K');
  });

  it('gives the cursor back', () => {
    const { written, screen } = terminal();
    screen.draw(['one']);
    screen.close();
    expect(written[0]).toContain('\x1b[?25l');
    expect(written.at(-1)).toBe('\x1b[?25h');
  });
});
