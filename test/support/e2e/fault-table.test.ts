import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../../config/paths.ts';
import { FAULTS } from './fault-table.ts';

const rows = Object.entries(FAULTS);

test('the table of faults has as many rows as were ever tested', () => {
  expect(Object.fromEntries(rows.map(([fault, points]) => [fault, new Set<string>(points).size]))).toEqual({
    'worker-dies/local/random': 13,
    'worker-dies/local/llm': 3,
    'worker-dies/local/policy': 6,
    'worker-dies-choosing/local/random': 4,
    'worker-dies-running-again/local/policy': 1,
    'worker-dies-evaluating/local/policy': 9,
    'worker-dies-evaluating-within/local/policy': 4,
    'worker-dies-running-evaluation/local/policy': 1,
    'worker-dies-deciding/local/random': 1,
    'worker-dies-mending/local/random': 1,
    'worker-dies-giving-up/local/random': 1,
    'worker-dies-raising-the-floor/local/random': 1,
    'worker-dies-sending/local/random': 1,
    'worker-dies/local/command': 5,
    'worker-dies/local/server': 5,
    'worker-dies/local/agent': 6,
    'worker-dies-in-an-outage/local/agent': 1,
    'worker-dies/ssh/random': 9,
    'worker-dies/ssh/command': 2,
    'worker-dies-blaming/ssh/random': 1,
    'worker-dies-stopping/ssh/random': 3,
    'worker-dies-looking/ssh/random': 2,
    'connection-cut/ssh/random': 9,
    'sshd-dies/ssh/random': 9,
    'network-silent/ssh/random': 9,
    'host-down/ssh/random': 7,
    'run-lost/ssh/random': 2,
    'host-lost/ssh/random': 2,
  });
});

test('each row is run by an end-to-end test', () => {
  const folder = join(packageRoot(), 'test/e2e');
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
  const texts = tests.map((name) => readFileSync(join(folder, name), 'utf8'));
  const askedBy = (fault: string): number => texts.filter((text) => text.includes(`FAULTS['${fault}']`)).length;
  expect(rows.map(([fault]) => [fault, askedBy(fault)])).toEqual(rows.map(([fault]) => [fault, 1]));
});
