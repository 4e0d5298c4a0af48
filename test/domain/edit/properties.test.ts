import { createTwoFilesPatch } from 'diff';
import { expect, test } from 'vitest';
import { readAnswer } from '../../../activities/propose/read-answer.ts';
import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import { parseAnswer } from '../../../domain/edit/parse-answer.ts';
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

const WORDS = ['x = 1', '    return y', 'def f():', '', 'ü = "日本"', '🙂 = 2', '-- a', '++ b', '\tz', '# c', ' '];

/** Random text of up to 30 lines, each made unique by its number unless it repeats on purpose. */
function randomLines(random: Random): string[] {
  return Array.from({ length: 1 + Math.floor(random() * 30) }, (_, at) =>
    random() < 0.3 ? pick(random, WORDS) : `${pick(random, WORDS)} ${at}.${Math.floor(random() * 1000)}`,
  );
}

/** The lines with some removed, replaced or added. */
function changedLines(random: Random, lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    const draw = random();
    if (draw < 0.1) return [];
    if (draw < 0.2) return [`${line} changed ${Math.floor(random() * 1e6)}`];
    if (draw < 0.3) return [line, `added ${Math.floor(random() * 1e6)}`];
    return [line];
  });
}

test('a file with the diff to another one applied is the other one, for any ends of lines and any text', () => {
  const random = randomOf(45);
  let applied = 0;
  for (let round = 0; round < 80; round += 1) {
    const end = pick(random, ['\n', '\r\n']);
    const lines = randomLines(random);
    const next = changedLines(random, lines);
    if (next.join() === lines.join() || next.length === 0) continue;
    const last = random() < 0.7 ? end : '';
    const [before, after] = [lines.join(end) + last, next.join(end) + last];
    const feeds = (text: string): string => text.replaceAll('\r\n', '\n');
    const patch = createTwoFilesPatch('a/a.py', 'b/a.py', feeds(before), feeds(after), '', '', { context: 3 });
    const answer = parseAnswer(`HYPOTHESIS: h\n\n\`\`\`\`\`diff\n${patch}\`\`\`\`\`\n`, ['a.py'], { 'a.py': before });
    if (!answer.ok) throw new Error(`round ${round}: ${answer.reason}\n${patch}`);
    const made = applyEdits({ 'a.py': before }, answer.edits, ['a.py']);
    // A part that occurs several times, and that no line number selects, is refused with a reason.
    if (!made.ok) expect(made.reason).toMatch(/matches \d+ times|leave every file|left out/);
    else {
      expect([round, made.files['a.py']]).toEqual([round, after]);
      applied += 1;
    }
  }
  expect(applied).toBeGreaterThan(50);
});

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
