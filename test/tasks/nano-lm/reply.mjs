// An answering program that gives every question the same kind of answer: node reply.mjs <kind>
import { createInterface } from 'node:readline';

const STREAMS = 160;
const SYMBOLS = 24;
const rows = (row, count = STREAMS) => JSON.stringify({ probabilities: Array.from({ length: count }, () => row) });
const even = Array.from({ length: SYMBOLS }, () => 1 / SYMBOLS);
const replies = {
  even: () => rows(even),
  certain: () => rows([1, ...even.slice(1).fill(0)]),
  nan: () => rows(even).replace(/0\.\d+/, 'NaN'),
  null: () => rows([null, ...even.slice(1)]),
  huge: () => rows(even).replace(/0\.\d+/, '1e999'),
  negative: () => rows([-0.5, 0.5 + 2 / SYMBOLS, ...even.slice(2)]),
  zeros: () => rows(even.map(() => 0)),
  twos: () => rows(even.map((p) => 2 * p)),
  'too few numbers': () => rows(even.slice(1)),
  'too few rows': () => rows(even, STREAMS - 1),
  words: () => 'I would rather not say',
  text: () => rows(even.map(String)),
  object: () => '{"bpc": 0}',
  'two lines': () => `${rows(even)}\n${rows(even)}`,
  'endless line': () => 'x'.repeat(8 * 1024 * 1024),
};

const kind = process.argv[2];
if (kind === 'end') process.exit(0);
for await (const line of createInterface({ input: process.stdin })) {
  if (JSON.parse(line).done) process.exit(0);
  if (kind !== 'silence') process.stdout.write(`${replies[kind]()}\n`);
}
