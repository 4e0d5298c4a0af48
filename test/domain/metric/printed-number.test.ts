import { describe, expect, test } from 'vitest';
import { readPrinted, READ_PRINTED_SOURCE, type Printed } from '../../../domain/metric/printed-number.ts';

const NAN = { value: Number.NaN };
const UP = { value: Number.POSITIVE_INFINITY };
const DOWN = { value: Number.NEGATIVE_INFINITY };
const HALF = { value: 0.5 };
const raw = (text: string): Printed => ({ raw: text });

/** Last lines of an output, after a line with another number. */
const LAST: [string, Printed][] = [
  ['loss: 0.5', HALF],
  ['loss=0.5', HALF],
  ['  loss = 5e-1', HALF],
  ['loss 0.5', HALF],
  ['loss:\t.5', HALF],
  ['loss: np.float64(0.5)', HALF],
  ['loss: nan', NAN],
  ['loss: NaN', NAN],
  ['loss: -nan', NAN],
  ['loss: -nan(ind)', NAN],
  ['loss nan', NAN],
  ['loss: np.float64(nan)', NAN],
  ["loss: tensor(nan, device='cuda:0')", NAN],
  ['loss: tensor(nan, grad_fn=<MseLossBackward0>)', NAN],
  ["loss: Decimal('NaN')", NAN],
  ['loss: NaN32', NAN],
  ['loss: inf', UP],
  ['loss: Infinity', UP],
  ['loss: 1e999', UP],
  ['loss: tensor(-inf)', DOWN],
  ['loss -Infinity', DOWN],
  ['loss: n/a', raw('n/a')],
  ['loss: None', raw('None')],
  ['loss:', raw('')],
  ['loss: 0.5,', raw('0.5,')],
  ['loss: 0.5, acc: 0.9', raw('0.5, acc: 0.9')],
  ['loss: 1,234.5', raw('1,234.5')],
  ['loss: 0x10', raw('0x10')],
  ['loss: tensor(0.1235)', raw('tensor(0.1235)')],
  ['loss 0.5 after 3 epochs', raw('0.5 after 3 epochs')],
  ['loss nan!', raw('nan!')],
  ['{"loss": 0.5, "acc": 0.9}', HALF],
  ['{"loss": NaN}', NAN],
  ['{"text": "NaN, loss", "loss": -Infinity}', DOWN],
  ['{"note": "it said \\"loss\\": NaN, and", "loss": NaN}', NAN],
  ['{"loss": null}', NAN],
  ['{"loss": "nan"}', NAN],
  ['{"loss": 1e999}', UP],
  ['{"loss": "0.5"}', raw('"0.5"')],
  ['{"loss": [0.5]}', raw('a list')],
  ['{"loss": {"mean": 0.5}}', raw('an object')],
  ['{"loss": "mse"}', raw('"mse"')],
  ['{"test": {"loss": 0.5}}', raw('a number below another key')],
  ['[{"loss": NaN}]', raw('a number below another key')],
  ['{\n  "acc": 0.9,\n  "loss": 0.5,\n  "of": [\n    1\n  ]\n}', HALF],
  ['{\n  "loss": NaN\n}', NAN],
  ['{\n  "test": {\n    "loss": NaN\n  }\n}', raw('a number below another key')],
  ['{\n  "note": "a } and a {",\n  "loss": 0.5\n}', HALF],
  ['{\n  "loss": 0.5,', raw('"loss": 0.5,')],
  ['{"loss": 0.5', raw('{"loss": 0.5')],
  ["{'loss': 0.5, 'acc': 0.9}", HALF],
  ["{'acc': 0.9, 'loss': np.float64(nan)}", NAN],
  ["{'loss': tensor(nan, device='cuda:0'), 'acc': 1}", NAN],
  ["{'loss': None}", raw('None')],
  ["{'test': {'loss': nan}}", raw('a value that may lie below another key')],
  ["{'acc': 1,\n 'loss': nan}", NAN],
];

/** Lines that do not name the metric. */
const OTHERS = [
  'val loss: 3',
  'val_loss: 3',
  'loss_val: 3',
  'losses: 3',
  'Loss: 3',
  'loss improved',
  'loss is low',
  'INFO loss: 3',
  '{"val_loss": 3}',
  '{"config": {"loss": "mse"}}',
  "{'val_loss': 3}",
  '{ loss',
  '[1/10] done',
  '',
];

const forms = ['text', 'json'] as const;
const lines = (last: string): string[] => ['loss: 0.25', ...last.split('\n')];

describe('the last line that names the metric counts', () => {
  test.each(LAST)('%j', (last, printed) => {
    expect(readPrinted(lines(last), { name: 'loss', forms })).toEqual(printed);
  });

  test.each(OTHERS)('%j does not name it', (other) => {
    expect(readPrinted(lines(other), { name: 'loss', forms })).toEqual({ value: 0.25 });
  });
});

test('a name is taken literally, and may need an escape in JSON', () => {
  const options = { name: 'größe "a.b" (%)', forms };
  expect(readPrinted(['größe "a.b" (%): 0.5', 'größe "axb" (%): 1'], options)).toEqual(HALF);
  expect(readPrinted([`{"gr\\u00f6\\u00dfe \\"a.b\\" (%)": 0.5}`], options)).toEqual(HALF);
});

test('each form alone leaves the other one out', () => {
  expect(readPrinted(['loss: 1', '{"loss": 2}'], { name: 'loss', forms: ['text'] })).toEqual({ value: 1 });
  expect(readPrinted(['{"loss": 2}', 'loss: 1'], { name: 'loss', forms: ['json'] })).toEqual({ value: 2 });
});

test('hostile output neither overflows the stack nor takes quadratic time', () => {
  const deep = `{"a": ${'['.repeat(100_000)}`;
  expect(readPrinted([deep, `${deep}${']'.repeat(100_000)}}`], { name: 'loss', forms })).toBe(null);
  expect(
    readPrinted(
      Array.from({ length: 200_000 }, () => '{'),
      { name: 'loss', forms },
    ),
  ).toBe(null);
  expect(readPrinted([`{"toString": {"loss": {"valueOf": 1}}}`], { name: 'loss', forms })).toBe(null);
});

test('the source that an adapter contains reads like the functions themselves', async () => {
  const url = `data:text/javascript,${encodeURIComponent(`${READ_PRINTED_SOURCE}\nexport { readPrinted };`)}`;
  const copy = (await import(/* @vite-ignore */ url)) as { readPrinted: typeof readPrinted };
  for (const [last, printed] of LAST) expect(copy.readPrinted(lines(last), { name: 'loss', forms })).toEqual(printed);
});
