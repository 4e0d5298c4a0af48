import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { SHOWN_VERDICTS, TRIAL_KINDS, TRIAL_STATUSES } from '../../domain/trial.ts';
import { readDoc, wordsIn } from './tables.ts';
import { pages } from './pages.ts';

const all = await pages();
const experiments = all.filter((path) => /^docs\/experiments\/\d/.test(path));
const decisions = all.filter((path) => /^docs\/decisions\/\d/.test(path));

/** The last part of a path. */
const nameOf = (path: string): string => path.split('/').at(-1) ?? '';

describe('an experiment', () => {
  test.each(experiments)('%s has at most 80 lines, a title, and a name that fits the title', async (path) => {
    const text = await readDoc(path);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(80);
    const [title = ''] = text.split('\n');
    expect(title).toMatch(/^# .{10,}/);
    expect(title.includes('(negative)'), `"(negative)" in title and name: ${title}`).toBe(
      path.endsWith('-negative.md'),
    );
  });
});

test('programs that documents run exist', async () => {
  const texts = await Promise.all([...all, 'trainer/README.md'].map(readDoc));
  const run = /npx tsx ((?:bench|experiments)\/[\w/-]+)\.ts|node dist\/(bench\/[\w/-]+)\.js/g;
  const programs = texts.flatMap((text) => [...text.matchAll(run)].map(([, source, built]) => `${source ?? built}.ts`));
  expect(programs.length).toBeGreaterThan(20);
  expect(programs.filter((path) => !existsSync(join(packageRoot(), path)))).toEqual([]);
});

const FOLDERS =
  'activities|bench|cli|config|dashboard|db|domain|experiments|infra|scripts|tasks|test|trainer|view|workers|workflows';
const NAMED_FILE = new RegExp(`(?<![\\w./-])(?:${FOLDERS})/[\\w./-]+\\.(?:tsx?|[cm]?js|sh|py|sql|json|yaml)\\b`, 'g');

/** Files of the repository that a page names by their paths, and modules that its blocks import. */
function filesNamed(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```(?:ts|diff) file=(\S+)\n([\s\S]*?)^```$/gm)];
  const imported = blocks.flatMap(([, path = '', text = '']) =>
    [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, module = '']) => join(dirname(path), module)),
  );
  const paths = markdown.matchAll(NAMED_FILE);
  const added = blocks.map(([, path = '']) => path);
  return [...new Set([...imported, ...[...paths].map(([path]) => path)])].filter((path) => !added.includes(path));
}

test.each(all)('files that %s names exist', async (page) => {
  const gone = filesNamed(await readDoc(page)).filter((path) => !existsSync(join(packageRoot(), path)));
  expect(gone).toEqual([]);
});

test('a file that a page names is found in its text and in what its blocks import', () => {
  const block = "```ts file=domain/search/mine.ts\nimport { a } from '../gone.ts';\n```\n";
  expect(filesNamed(`It stands in \`db/gone.ts\`, beside domain/search/mine.ts.\n\n${block}`)).toEqual([
    'domain/gone.ts',
    'db/gone.ts',
  ]);
});

test.each([
  ['docs/experiments/README.md', experiments],
  ['docs/decisions/README.md', decisions],
])('%s links to each page, with the title of the page', async (index, paths) => {
  const links = [...(await readDoc(index)).matchAll(/\[([^\]]*)\]\((\d[^)]*)\)/g)];
  const listed = links.map(([, title, name]) => [name, title]).sort();
  const titles = paths.map(async (path) => {
    const [title = ''] = (await readDoc(path)).split('\n');
    return [nameOf(path), title.replace(/^# (\d+\. )?/, '').replace(/ \(replaced by .*\)$/, '')];
  });
  expect(listed).toEqual((await Promise.all(titles)).sort());
});

/** Lines of more than 120 characters outside tables and code. A line with a link or with code may be longer. */
function longLines(markdown: string): string[] {
  const prose = markdown.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  const parts = prose.split('\n').filter((line) => !line.trimStart().startsWith('|') && line.length > 120);
  return parts.filter((line) => !/[[\]`]/.test(line));
}

test.each(all)('%s has no line of prose of more than 120 characters', async (path) => {
  expect(longLines(await readDoc(path))).toEqual([]);
});

test('README.md has at most 150 lines', async () => {
  expect((await readDoc('README.md')).trimEnd().split('\n').length).toBeLessThanOrEqual(150);
});

test.each(all.filter((path) => path.startsWith('docs/guides/')))(
  '%s has at most 2,000 words: ten minutes',
  async (path) => {
    expect(wordsIn(await readDoc(path))).toBeLessThanOrEqual(2000);
  },
);

test('docs/README.md links to every guide, concept and page of reference', async () => {
  const index = await readDoc('docs/README.md');
  const wanted = all.filter((path) => /^docs\/(guides|concepts|reference)\//.test(path));
  expect(wanted.filter((path) => !index.includes(`](${path.replace('docs/', '')})`))).toEqual([]);
});

test('no two pages of a kind have the same number', () => {
  for (const paths of [experiments, decisions]) {
    const numbers = paths.map((path) => nameOf(path).slice(0, 4));
    expect(new Set(numbers).size).toBe(numbers.length);
  }
});

describe('the glossary', async () => {
  const glossary = await readDoc('docs/concepts/glossary.md');
  const entries = [...glossary.matchAll(/\*\*([^*]+)\*\*/g)].map(([, word = '']) => word);
  /** Words that a text sets in italics. */
  const italics = (text: string): string[] =>
    [...text.matchAll(/(?<![\w`])_(\w[^_\n]*)_(?!\w)/g)].map(([, word = '']) => word);

  test('has each word once', () => expect(new Set(entries).size).toBe(entries.length));

  test.each(['README.md', 'docs/concepts/glossary.md'])('has every word that %s sets in italics', async (path) => {
    const words = italics(await readDoc(path));
    expect(words.length).toBeGreaterThan(0);
    const known = entries.flatMap((word) => [word, `${word}s`]);
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
  });

  test('has the words of the statuses that surfaces show', () => {
    const words = ['best', 'gain', 'lead', 'baseline', 'trial', 'verdict', 'spend', 'budget', 'policy'];
    expect(words.filter((word) => !entries.includes(word))).toEqual([]);
    for (const word of [...TRIAL_KINDS, ...TRIAL_STATUSES, ...SHOWN_VERDICTS])
      expect(glossary).toContain(`\`${word}\``);
  });
});
