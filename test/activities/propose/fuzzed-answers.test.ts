import { expect, test } from 'vitest';
import { readAnswer } from '../../../activities/propose/read-answer.ts';
import { findViolation, type EditScope } from '../../../domain/edit/scope/edit-scope.ts';
import { outsideRegions } from '../../../domain/edit/scope/regions.ts';
import { EditRules } from '../../../domain/schema/edits.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

type Random = () => number;
const randomOf = (seed: number): Random => {
  const random = createRandom(seed);
  return () => random.uniform();
};
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

const FILES = {
  'main.py': 'import lib\n# EVOLVE-BLOCK-START\nx = 1\n# EVOLVE-BLOCK-END\nrun()\n',
  'lib/a.py': 'y = 2\n',
};
const SCOPE: EditScope = {
  mutablePaths: Object.keys(FILES),
  rules: EditRules.parse({ regions: true, create: ['lib/**/*.py'], remove: ['lib/*.py'], mostNewFiles: 3 }),
  taken: ['lib/fixed.py', 'data.csv'],
};

const PATHS = [
  ...Object.keys(FILES),
  'lib/new.py',
  'lib/x/y.py',
  '../main.py',
  '/etc/passwd',
  'lib/../../x.py',
  'lib/fixed.py',
  'LIB/a.py',
  'data.csv',
  'lib/.git/a.py',
  'lib/ended.json',
  'lib/a.py/b.py',
  './lib/n.py',
  'lib//n.py',
  'lib\\n.py',
  'C:/x.py',
  '~/x.py',
  '__proto__',
  'constructor',
  'lib/\u202e.py',
  'lib/__pycache__/a.py',
  'lib/a\u0000.py',
  'lib/Fixed.py',
];
const TEXTS = [
  'x = 1',
  'x = 3',
  'import lib',
  'run()',
  '# EVOLVE-BLOCK-END',
  '# EVOLVE-BLOCK-START',
  '',
  'y = 2',
  'z\n',
];

const anyPath = (random: Random): string => pick(random, random() < 0.7 ? PATHS.slice(0, 4) : PATHS);

/** A random answer as text: whole files, blocks, diffs and deletions under random paths. */
function randomText(random: Random): string {
  const part = (): string => {
    const [path, one, other] = [anyPath(random), pick(random, TEXTS), pick(random, TEXTS)];
    return pick(random, [
      `${path}\n\`\`\`\`\n${one}\n${other}\n\`\`\`\`\n`,
      `${path}\n<<<<<<< SEARCH\n${one}\n=======\n${other}\n>>>>>>> REPLACE\n`,
      `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${one}\n+${other}\n\`\`\`\n`,
      `\`\`\`diff\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${one}\n\`\`\`\n`,
      `\`\`\`diff\n--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-${one}\n\`\`\`\n`,
      `DELETE ${path}\n`,
    ]);
  };
  return Array.from({ length: 1 + Math.floor(random() * 3) }, part).join('\n');
}

/** A random answer as a tool call, sometimes broken. */
function randomCall(random: Random): { name: string; arguments: string } {
  const edit = (): object => ({
    action: pick(random, ['replace', 'write', 'delete']),
    path: anyPath(random),
    search: pick(random, TEXTS),
    replace: pick(random, TEXTS),
    content: `${pick(random, TEXTS)}\n${pick(random, TEXTS)}`,
  });
  const edits = Array.from({ length: 1 + Math.floor(random() * 3) }, edit);
  const text = JSON.stringify({ hypothesis: 'h', edits });
  return { name: 'propose', arguments: random() < 0.1 ? text.slice(0, Math.floor(random() * text.length)) : text };
}

test('an answer of random edits, as text or as tool calls, never leaves the paths and regions that may change', () => {
  const random = randomOf(2);
  let taken = 0;
  for (let round = 0; round < 800; round += 1) {
    const given = random() < 0.5 ? { text: randomText(random) } : { text: '', toolCalls: [randomCall(random)] };
    const read = readAnswer({ ...given, finishReason: 'stop', refusal: null }, { ...FILES }, SCOPE);
    if (!read.ok) continue;
    taken += 1;
    const { files } = read.proposed;
    const allowed = (path: string): boolean =>
      path in FILES || (/^lib\/(?:[\w.]+\/)*[\w.]+\.py$/.test(path) && !/fixed|\.git|__pycache__|a\.py\//i.test(path));
    expect(Object.keys(files).filter((path) => !allowed(path))).toEqual([]);
    expect(outsideRegions('main.py', FILES['main.py'], files['main.py'] ?? '')).toBeNull();
    expect(findViolation(FILES, files, SCOPE)).toBeNull();
  }
  // Both outcomes occur often.
  expect(taken).toBeGreaterThan(50);
  expect(taken).toBeLessThan(750);
});
