import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { locateKnob } from '../../domain/edit/knob-edit.ts';
import { setKnobs } from '../../domain/edit/set-knobs.ts';
import type { Knob } from '../../domain/knob/knob.ts';
import { createRandom, type Random } from '../../domain/statistics/random.ts';
import { loadTask } from '../../tasks/load.ts';
import { GOOD, makeTask } from './make-task.ts';

/** A value as task.yaml writes it, and the meaning that it has to keep: its kind, and its text or number. */
interface Written {
  yaml: string;
  kind: 'null' | 'bool' | 'text' | 'number';
  value: unknown;
}

const text = (value: string): Written => ({ yaml: JSON.stringify(value), kind: 'text', value });
const plain = (yaml: string, kind: Written['kind'], value: unknown): Written => ({ yaml, kind, value });
const TEXTS: readonly Written[] = [
  ...['relu', 'gelu', 'None_', 'a-b.c'].map((word) => plain(word, 'text', word)),
  ...["it's", 'say "x"', 'a\\b', 'two words', 'line\nbreak', 'tab\t#x', '{x}', '$x', 'ä€😀', '', ' '].map(text),
  ...['None', 'null', 'true', 'False', 'no', 'on', '1', '1.5', '1e3', '~', 'nan', '0x10', '2020-01-01', '- a'].map(
    text,
  ),
];
const NUMBERS: readonly Written[] = [
  '0',
  '1',
  '-2',
  '3000000',
  '0.0',
  '1.0',
  '0.5',
  '1e-3',
  '1e-7',
  '-2.5E+3',
  '1e22',
].map((yaml) => plain(yaml, 'number', Number(yaml)));
const BOOLEANS = [plain('true', 'bool', true), plain('True', 'bool', true), plain('false', 'bool', false)];
const NULLS = ['None', 'null', 'nil', '~'].map((yaml) => plain(yaml, 'null', null));

/** The current literals of a program, in its language, and the value in task.yaml that means each. */
type Current = readonly (readonly [literal: string, value: Written])[];

const BASE: Current = [
  ['3', plain('3', 'number', 3)],
  ['-4', plain('-4', 'number', -4)],
  ['0.25', plain('0.25', 'number', 0.25)],
  ['1e-4', plain('0.0001', 'number', 0.0001)],
  ['"silu"', plain('silu', 'text', 'silu')],
];
const SINGLE: Current = [["'silu'", plain('silu', 'text', 'silu')]];
const LOWER: Current = [
  ['true', plain('true', 'bool', true)],
  ['null', plain('null', 'null', null)],
];

interface Language {
  file: string;
  currents: Current;
  hasNull: boolean;
  assign: (name: string, literal: string) => string;
  wrap?: (lines: string) => string;
}

const equals = (name: string, literal: string): string => `${name} = ${literal}`;
const LANGUAGES: readonly Language[] = [
  {
    file: 'k.py',
    currents: [...BASE, ...SINGLE, ['True', plain('true', 'bool', true)], ['None', plain('None', 'null', null)]],
    hasNull: true,
    assign: equals,
  },
  {
    file: 'k.mjs',
    currents: [...BASE, ...SINGLE, ...LOWER],
    hasNull: true,
    assign: (name, literal) => `export const ${name} = ${literal};`,
  },
  {
    file: 'k.json',
    currents: [...BASE, ...LOWER],
    hasNull: true,
    assign: (name, literal) => `"${name}": ${literal},`,
    wrap: (lines) => `{\n${lines}\n"END": 0\n}\n`,
  },
  {
    file: 'k.yaml',
    currents: [...BASE, ...SINGLE, ...LOWER, ['silu', plain('silu', 'text', 'silu')], ['~', plain('~', 'null', null)]],
    hasNull: true,
    assign: (name, literal) => `${name}: ${literal}`,
  },
  { file: 'k.toml', currents: [...BASE, ...SINGLE, ...LOWER.slice(0, 1)], hasNull: false, assign: equals },
];

interface Choice {
  name: string;
  current: string;
  values: Written[];
}

const pick = <T>(from: readonly T[], random: Random): T => from[random.below(from.length)] as T;

/** A choice of two to six values of all kinds, at most one of them null. */
function choiceOf(name: string, { currents, hasNull }: Language, random: Random): Choice {
  const [current, first] = pick(currents, random);
  const kinds = [TEXTS, TEXTS, NUMBERS, NUMBERS, BOOLEANS, ...(hasNull ? [NULLS] : [])];
  const values = [first];
  while (values.length < 2 + random.below(5)) {
    const value = pick(pick(kinds, random), random);
    const isThere = values.some((other) => other.kind === value.kind && other.value === value.value);
    if (!isThere) values.push(value);
  }
  return { name, current, values };
}

/** A type and a value that JSON can hold, as the interpreters below report them. */
type Meaning = [kind: 'null' | 'bool' | 'text' | 'int' | 'float' | 'number', value: unknown];

const PYTHON = `
import json, sys, tomllib
def meaning(v):
    kind = {type(None): 'null', bool: 'bool', str: 'text', int: 'int', float: 'float'}[type(v)]
    return [kind, v]
found = []
for path in sys.argv[1:]:
    text = open(path, newline='').read()
    read = tomllib.loads(text) if path.endswith('.toml') else {}
    if path.endswith('.py'): exec(text, {}, read)
    found.append({name: meaning(v) for name, v in read.items()})
print(json.dumps(found))
`;
const NODE = `
const kinds = { boolean: 'bool', string: 'text', number: 'number' };
const found = [];
for (const path of process.argv.slice(1)) {
  const read = await import(path);
  const meaning = (v) => [v === null ? 'null' : kinds[typeof v], v];
  found.push(Object.fromEntries(Object.entries(read).map(([name, v]) => [name, meaning(v)])));
}
console.log(JSON.stringify(found));
`;

function interpret(command: string, args: string[]): Record<string, Meaning>[] {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8' });
  expect(stderr, command).toBe('');
  expect(status).toBe(0);
  return JSON.parse(stdout) as Record<string, Meaning>[];
}

const meaningOf = (value: unknown): Meaning => {
  if (value === null) return ['null', null];
  const kinds = { boolean: 'bool', string: 'text', number: 'number' } as const;
  return [kinds[typeof value as keyof typeof kinds], value];
};

/** The values that a program in the language reads from each of the files. */
async function readBack(file: string, texts: readonly string[]): Promise<Record<string, Meaning>[]> {
  if (file === 'k.json' || file === 'k.yaml')
    return texts.map((one) => {
      const read = (file === 'k.json' ? JSON.parse(one) : parse(one)) as Record<string, unknown>;
      return Object.fromEntries(Object.entries(read).map(([name, value]) => [name, meaningOf(value)]));
    });
  const paths = texts.map((_, i) => join(folder, `${i}-${file}`));
  await Promise.all(paths.map((path, i) => writeFile(path, texts[i] ?? '')));
  return file === 'k.mjs'
    ? interpret(process.execPath, ['--input-type=module', '-e', NODE, ...paths])
    : interpret('python3', ['-c', PYTHON, ...paths]);
}

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'knob-values-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CHOICES = 60;

/** The file with knob `j` set to its value number `i`, where it has one. */
function fileWith(
  i: number,
  { knobs, file, source }: { knobs: readonly Knob[]; file: string; source: string },
): string {
  const settings = knobs.flatMap((knob) => {
    const value = knob.type === 'choice' ? knob.values[i] : undefined;
    return value === undefined ? [] : [{ knob, value }];
  });
  const set = setKnobs(settings, { [file]: source });
  if (!set.ok) return set.label === 'no-change' ? source : expect.unreachable(set.reason);
  const applied = applyEdits({ [file]: source }, set.edits, [file]);
  return applied.ok ? (applied.files[file] ?? '') : expect.unreachable(applied.reason);
}

describe.each(LANGUAGES)('each value of a choice in $file', (language) => {
  it('is read back by the language as what task.yaml says, and found again', async () => {
    const { file, assign, wrap = (lines: string) => `${lines}\n` } = language;
    const random = createRandom(file.length * 1000 + file.charCodeAt(2));
    const choices = Array.from({ length: CHOICES }, (_, i) => choiceOf(`K${i}`, language, random));
    const source = wrap(choices.map(({ name, current }) => assign(name, current)).join('\n'));
    const yaml = choices
      .map(
        ({ name, values }) =>
          `  - { file: ${file}, name: ${name}, type: choice, ` +
          `values: [${values.map((value) => value.yaml).join(', ')}] }\n`,
      )
      .join('');
    const at = await makeTask({
      'task.yaml': `${GOOD.replace('[main.js]', `[${file}]`)}knobs:\n${yaml}`,
      [`workspace/${file}`]: source,
    });
    const { knobs } = (await loadTask(at)).task;
    const texts = Array.from({ length: 7 }, (_, i) => fileWith(i, { knobs, file, source }));
    const found = await readBack(file, texts);
    for (const [j, { name, current, values }] of choices.entries()) {
      const isFloat = [current, ...values.map((value) => value.yaml)].some(
        (one) => /^-?\d[\d.]*(?:[.e]|$)/i.test(one) && /[.e]/i.test(one),
      );
      for (const [i, { kind, value, yaml: written }] of values.entries()) {
        const [foundKind, foundValue] = found[i]?.[name] ?? [];
        const hint = `${name}: ${written} in place of ${current}`;
        const numberKind = isFloat ? 'float' : 'int';
        const isTyped = file === 'k.py' || file === 'k.toml';
        const isUntouched = i === 0;
        const expected = kind === 'number' && isTyped && !isUntouched ? numberKind : kind;
        expect([isTyped && isUntouched && kind === 'number' ? kind : foundKind, foundValue], hint).toEqual([
          expected,
          value,
        ]);
        const again = locateKnob({ [file]: texts[i] ?? '' }, knobs[j] as Knob);
        expect(again?.value, hint).toBe(value);
      }
    }
  });
});
