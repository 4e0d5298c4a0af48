import { describe, expect, test } from 'vitest';
import { loadTask } from '../../tasks/load.ts';
import { GOOD, makeTask } from './make-task.ts';

const REGION = '// EVOLVE-BLOCK-START\nlet rate = 1;\n// EVOLVE-BLOCK-END\nlet fixed = 2;\n';
const loaded = async (yaml: string, files: Record<string, string> = {}) =>
  loadTask(await makeTask({ 'task.yaml': `${GOOD}${yaml}`, ...files }));
const refusal = async (yaml: string, files: Record<string, string> = {}): Promise<string> =>
  loaded(yaml, files).then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe('a task with regions', () => {
  const regions = 'edits: { regions: true }\n';

  test('is read if each start has its end, and its hashes but that of its YAML stay', async () => {
    const files = { 'workspace/main.js': REGION };
    const [plain, restricted] = [await loaded('', files), await loaded(regions, files)];
    for (const key of ['immutableHash', 'evaluatorHash', 'metricKey', 'stageHash'] as const)
      expect(restricted[key]).toBe(plain[key]);
    expect(restricted.task.edits.regions).toBe(true);
    // Without the key, markers mean nothing, as before.
    expect(await refusal('', { 'workspace/main.js': '// EVOLVE-BLOCK-START\n' })).toBe('accepted');
  });

  test.each([
    ['// EVOLVE-BLOCK-START\n', 'main.js: EVOLVE-BLOCK-START in line 1 has no EVOLVE-BLOCK-END'],
    ['\n// EVOLVE-BLOCK-END\n', 'main.js: EVOLVE-BLOCK-END in line 2 has no EVOLVE-BLOCK-START before it'],
    ['let x = 1;\n', 'expected markers in a mutable file, got none'],
  ])('is refused with the line: %j', async (text, message) => {
    expect(await refusal(regions, { 'workspace/main.js': text })).toContain(message);
  });

  test('is refused with a knob outside of them', async () => {
    const knob = (name: string): string =>
      `${regions}knobs: [{ file: main.js, name: ${name}, type: float, range: [0, 9] }]\n`;
    const files = { 'workspace/main.js': REGION.replaceAll('let ', '').replaceAll(';', '') };
    expect(await refusal(knob('fixed'), files)).toContain('got fixed in line 4, outside of them');
    expect(await refusal(knob('rate'), files)).toBe('accepted');
  });
});

describe('a task with new or deleted files', () => {
  test.each([
    ['create: ["lib/**/*.js"], remove: ["*.js"]', 'accepted'],
    ['create: ["../x"]', 'leaves its folder'],
    ['create: ["/x"]', 'it is absolute'],
    ['create: ["{a,b}"]', 'only *, ** and ? have a meaning here'],
    ['remove: ["none/*"]', 'expected a glob that matches mutable files, got none/*'],
    ['mostNewFiles: 0', 'mostNewFiles'],
  ])('is checked: %s', async (edits, message) => {
    expect(await refusal(`edits: { ${edits} }\n`)).toContain(message);
  });

  test('is refused if a file with a knob may be deleted', async () => {
    const knob = 'knobs: [{ file: main.js, name: rate, type: float, range: [0, 9] }]\n';
    const files = { 'workspace/main.js': 'rate = 1\n' };
    expect(await refusal(`edits: { remove: ["*.js"] }\n${knob}`, files)).toContain('which edits.remove matches');
  });
});
