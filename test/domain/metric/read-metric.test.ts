import { describe, expect, it } from 'vitest';
import { checkBounds, readMetric } from '../../../domain/metric/read-metric.ts';
import { Metric } from '../../../domain/schema/metric.ts';

const metric = Metric.parse({ name: 'bpc', direction: 'minimize', from: 'stdout', min: 0, max: 10 });
const json = Metric.parse({ ...metric, format: 'json' });
const pattern = Metric.parse({ ...metric, pattern: 'final (?<value>\\S+)' });

describe('readMetric', () => {
  it.each([
    ['bpc: 0.9', 0.9],
    ['noise\n  bpc = 1e-1  \nnoise', 0.1],
    ['bpc: 3\nbpc: 2\n', 2],
    ['bpc: 3\r\nbpc: .5\r\n', 0.5],
    ['step 1\rstep 2\rbpc: +1.5', 1.5],
    ['\rbpc: 2\rbpc: 1\r', 1],
    ['bpc: 0.5\r\r\n', 0.5],
    ['\r 50%|#####     | 5/10\rbpc: .25\n', 0.25],
    ['1/2 bar\b\b\b\b\b\b\b\rbpc: 4\b\b\b\b\b\b', 4],
    ['working\x1b[2K\x1b[1Gbpc: .75', 0.75],
    ['one\x1b[A\x1b[2K\rbpc: .125\x1b[K\n', 0.125],
    ['\x1b[1mbpc: 0.1\x1b[0m\n', 0.1],
    ['bpc: \x1b[1m0.1\x1b[0m\n', 0.1],
    ['bpc: 0\x1b[31m.\x1b[0m1\x07', 0.1],
    ['\x1b]0;bpc: 9\x07bpc: 3\n\x1b]0;done', 3],
    ['bpc: 1\n\x1b[0m\n\n', 1],
    ['bpc: oops\nbpc: 1', 1],
  ])('reads the last line that has it: %j', (text, value) => {
    expect(readMetric(text, metric)).toEqual({ ok: true, value });
  });

  it.each([
    ['bpc: 0.9 bits', 'metric-unreadable', 'expected bpc as a plain number, got "0.9 bits"'],
    ['bpc: 1,5', 'metric-unreadable', 'expected bpc as a plain number, got "1,5"'],
    ['bpc:', 'metric-unreadable', 'expected bpc as a plain number, got nothing'],
    ['bpc: 0x10', 'metric-unreadable', 'expected bpc as a plain number, got "0x10"'],
    ['bpc: 1\nbpc: none', 'metric-unreadable', 'expected bpc as a plain number, got "none"'],
    ['bpc: NaN', 'metric-not-finite', 'expected bpc to be finite, got NaN'],
    ['bpc: inf', 'metric-not-finite', 'expected bpc to be finite, got Infinity'],
    ['bpc: -Infinity', 'metric-not-finite', 'expected bpc to be finite, got -Infinity'],
    ['bpc: 1e999', 'metric-not-finite', 'expected bpc to be finite, got Infinity'],
    ['bpc: -1e308', 'metric-out-of-bounds', 'expected bpc to be at least 0, got -1e+308'],
    ['bpc: -1', 'metric-out-of-bounds', 'expected bpc to be at least 0, got -1'],
    ['bpc: 11', 'metric-out-of-bounds', 'expected bpc to be at most 10, got 11'],
    ['', 'no-metric', 'expected a line like "bpc: 0.123" in the output, got none in 0 lines'],
    ['xbpc: 1\nmy bpc: 1', 'no-metric', 'expected a line like "bpc: 0.123" in the output, got none in 2 lines'],
  ])('labels %j', (text, label, message) => {
    expect(readMetric(text, metric)).toEqual({ ok: false, label, message });
  });

  it('counts a value whose square overflows as infinite, unless the task sets a bound', () => {
    const [open, message] = [{ name: 'bpc' }, 'expected bpc to lie between ±1e+150, got -1e+308'];
    expect(checkBounds(-1e308, open)).toEqual({ ok: false, label: 'metric-not-finite', message });
    expect(checkBounds(-1e150, open)).toEqual({ ok: true, value: -1e150 });
  });

  it('reads JSON lines, including non-standard ones', () => {
    expect(readMetric('x\n{"bpc": 2}\n{"other": 1}\n', json)).toEqual({ ok: true, value: 2 });
    expect(readMetric('\x1b[32m{"bpc":\x1b[0m 2}\x1b[K\r\n', json)).toEqual({ ok: true, value: 2 });
    expect(readMetric('{"bpc": NaN, "a": [1]}', json)).toMatchObject({ label: 'metric-not-finite' });
    expect(readMetric('{"a": 1, "bpc": -Infinity}', json)).toMatchObject({ label: 'metric-not-finite' });
    expect(readMetric('{"bpc": "2"}', json)).toMatchObject({ label: 'metric-unreadable' });
    expect(readMetric('{"bpc": null}', json)).toMatchObject({ label: 'metric-not-finite' });
    expect(readMetric('{"bpc": 1', json)).toMatchObject({ label: 'metric-unreadable' });
    expect(readMetric('{"bpc": 3}\n{\n  "a": 1,\n  "bpc": NaN\n}', json)).toMatchObject({ label: 'metric-not-finite' });
    expect(readMetric('["bpc"]\n{}\n{"__proto__": 1}', json)).toMatchObject({
      label: 'no-metric',
      message: 'expected a JSON line with the key "bpc" in the output, got none in 3 lines',
    });
  });

  it('reads by a pattern of the task', () => {
    expect(readMetric('final 3\nfinal 4', pattern)).toEqual({ ok: true, value: 4 });
    expect(readMetric('final 3%', pattern)).toMatchObject({ label: 'metric-unreadable' });
    expect(readMetric('last 3', pattern)).toMatchObject({ label: 'no-metric' });
    const whole = Metric.parse({ ...metric, pattern: '^bpc (?<value>\\S+)$' });
    expect(readMetric('bpc 3\r\nbpc 4\r\n', whole)).toEqual({ ok: true, value: 4 });
    const any = Metric.parse({ ...metric, pattern: '^(?<value>.*)$' });
    expect(readMetric('3\n\x1b[0m\n\n', any)).toEqual({ ok: true, value: 3 });
  });

  it.each([
    ['loss (?<value>[\\d.]+)', 'loss 0.5\nloss nan'],
    ['loss: (?<value>\\d+\\.\\d+)$', 'loss: 0.5\nloss: -inf'],
    ['loss: (?<value>-?\\d*\\.?\\d*)', 'loss: 0.5\nloss: NaN'],
    ['loss.*? (?<value>[\\d.]+)', 'loss is nan at epoch 3'],
    ['loss (?<value>\\S+)', 'loss np.float64(nan)'],
  ])('takes no other number in the place of NaN for the pattern %s', (text, output) => {
    const digits = Metric.parse({ ...metric, pattern: text });
    expect(readMetric(output, digits)).toMatchObject({ label: 'metric-not-finite' });
  });

  it('reads a line with NaN elsewhere by its own number', () => {
    const digits = Metric.parse({ ...metric, pattern: 'loss (?<value>[\\d.]+)' });
    expect(readMetric('loss 0.5 gradient nan', digits)).toEqual({ ok: true, value: 0.5 });
    expect(readMetric('loss 0.5\nbest nan', digits)).toEqual({ ok: true, value: 0.5 });
  });

  it('matches a name literally', () => {
    const odd = Metric.parse({ name: 'a.b (%)', direction: 'maximize', from: 'stdout' });
    expect(readMetric('a.b (%): 5', odd)).toEqual({ ok: true, value: 5 });
    expect(readMetric('axb (%): 5', odd)).toMatchObject({ label: 'no-metric' });
  });
});

it('bounds include their ends', () => {
  expect(checkBounds(0, metric)).toEqual({ ok: true, value: 0 });
  expect(checkBounds(10, metric)).toEqual({ ok: true, value: 10 });
  expect(checkBounds(10.0001, metric)).toMatchObject({ ok: false, label: 'metric-out-of-bounds' });
  expect(checkBounds(NaN, { name: 'x' })).toMatchObject({ ok: false, label: 'metric-not-finite' });
});

it('reads a value that is nested thousands of times deep as unreadable, without an overflow', () => {
  const deep = `{"bpc": ${'['.repeat(8000)}${']'.repeat(8000)}}`;
  const read = readMetric(deep, json);
  expect(read).toMatchObject({ label: 'metric-unreadable', message: 'expected bpc as a plain number, got "a list"' });
});
