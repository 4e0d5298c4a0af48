import { expect, test } from 'vitest';
import { OUTCOMES } from '../../../../dashboard/api/outcomes.ts';
import type { Research } from '../../../../dashboard/api/research.ts';
import type { Series } from '../../../../dashboard/api/series.ts';
import { researchView } from '../../../../dashboard/web/parts/export/research-view.ts';
import { csvText } from '../../../../view/figure/csv.ts';
import { htmlFile } from '../../../../view/figure/html-file.ts';
import { svgFile } from '../../../../view/figure/svg-text.ts';
import { HOSTILE } from '../../../support/hostile-texts.ts';
import { parseXmlElements } from '../../../support/parse-xml-elements.ts';

const claim = (hypothesis: string) => ({
  value: 3.1,
  sd: 0.01,
  n: 5,
  low: 3.09,
  high: 3.11,
  made: { value: 3.1, sd: 0.01, n: 5, low: 3.09, high: 3.11 },
  seq: 1,
  ofTrial: 7,
  candidateId: 'c',
  reason: 'race won',
  by: 'gate',
  at: '2026-11-27T00:00:00Z',
  ended: 9,
  hypothesis,
});

function researchWith(text: string): Research {
  const status = {
    task: text,
    phase: 'running',
    reason: null,
    best: null,
    trials: { started: 9 },
    baseline: { value: 3.2, sd: 0.01, n: 5, trusted: true },
    spend: { usd: 1, tokens: 2, slotSeconds: 3 },
  } as unknown as Research['status'];
  return {
    status,
    metric: { name: text, direction: 'minimize', unit: 'nats', optimum: null },
    description: null,
    createdAt: '2026-11-27T00:00:00Z',
    claims: [claim(text)],
    phases: [],
    rulings: [],
    running: [],
    idea: null,
    next: [],
    attention: [],
    states: [],
    notes: [],
    commands: [],
    temporalUrl: null,
    events: [],
    learns: false,
    budgets: [],
    best: { value: 3.1, sd: 0.01, n: 6, low: 3.09, high: 3.11 },
    now: '2026-11-27T12:00:00Z',
  };
}

function seriesOf(trials: number, x: Series['x'] = 'trial'): Series {
  const n = Array.from({ length: trials }, (_, index) => index + 1);
  return {
    x,
    dots: {
      n,
      x: n.map((k) => k * 1.5),
      value: n.map((k) => (k % 10 === 0 ? null : 3.2 + ((k * 7919) % 997) / 9970)),
      outcome: n.map((k) => k % OUTCOMES.length),
    },
    total: trials,
    rawBest: { x: [1], value: [3.2], n: [1] },
    claims: { x: [0, 20], value: [3.2, 3.1], low: [3.19, 3.09], high: [3.21, 3.11], n: [null, 7], runs: [3, 5] },
    baseline: { value: 3.2, sd: 0.01 },
    lead: null,
    optimum: null,
    end: trials * 1.5,
    startedAt: '2026-11-27T00:00:00Z',
  };
}

test('50,000 trials are all in the data, and the drawing stays small', () => {
  const view = researchView({ id: 'demo', research: researchWith('loss'), series: seriesOf(50_000) });
  const [drawing] = view.drawings;
  if (!drawing) throw new Error('expected a drawing');
  expect(csvText(view.data).split('\r\n')).toHaveLength(50_002);
  const file = svgFile(drawing);
  expect(file.length).toBeLessThan(300_000);
  expect(new Set(parseXmlElements(file))).toEqual(new Set(['svg', 'title', 'rect', 'text', 'path']));
  expect(htmlFile(view).length).toBeLessThan(320_000);
  expect(htmlFile(view)).toContain('3.100 nats, 95 % 3.090 to 3.110');
});

test('a trial without a value has an empty cell, and its outcome as a word', () => {
  const { data } = researchView({ id: 'demo', research: researchWith('loss'), series: seriesOf(10) });
  expect(csvText(data)).toMatch(/\r\n9,13\.5,3\.\d+,confirm\r\n10,15,,discard\r\n$/);
});

test.each([
  ['time', '20 s'],
  ['slotSeconds', '20 s'],
  ['usd', '$20.00'],
  ['tokens', '20'],
  ['trial', '20'],
] as const)('the axis of %s is written in its unit', (x, words) => {
  const { drawings } = researchView({ id: 'demo', research: researchWith('loss'), series: seriesOf(20, x) });
  expect(drawings[0] && svgFile(drawings[0])).toContain(`>${words}</text>`);
});

test.each(HOSTILE)('a research with hostile names stays a page of text: %j', (text) => {
  const view = researchView({ id: text, research: researchWith(text), series: seriesOf(20) });
  const file = htmlFile(view);
  const body = file.slice(file.indexOf('<main>'), file.indexOf('</main>') + '</main>'.length);
  expect(parseXmlElements(body)).not.toContain('script');
  expect(parseXmlElements(body)).not.toContain('img');
  expect(view.stem).toMatch(/^perpetua[A-Za-z0-9._-]*$/);
});
