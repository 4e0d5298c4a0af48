import { expect, test } from 'vitest';
import { describeRegions, outsideRegions, readRegions } from '../../../../domain/edit/scope/regions.ts';

const FILE = ['import os', '# EVOLVE-BLOCK-START', 'lr = 1', 'wd = 2', '# EVOLVE-BLOCK-END', 'run()', ''].join('\n');
const refused = (change: (text: string) => string, file = FILE): string | null =>
  outsideRegions('a.py', file, change(file));

test('a file has the regions between its markers, in the comments of any language', () => {
  const file = [
    '// EVOLVE-BLOCK-START',
    '// EVOLVE-BLOCK-END',
    '  <!-- EVOLVE-BLOCK-START -->',
    'x',
    '/* EVOLVE-BLOCK-END */',
  ].join('\r\n');
  expect(readRegions(file)).toEqual({
    ok: true,
    regions: [
      { from: 1, to: 2 },
      { from: 3, to: 5 },
    ],
  });
  expect(
    describeRegions([
      { from: 1, to: 2 },
      { from: 3, to: 5 },
      { from: 6, to: 10 },
    ]),
  ).toBe('between lines 1 and 2 (region 1), line 4 (region 2), lines 7–9 (region 3)');
});

test.each([
  ['# EVOLVE-BLOCK-START\nx\n', 'EVOLVE-BLOCK-START in line 1 has no EVOLVE-BLOCK-END'],
  ['x\n# EVOLVE-BLOCK-END\n', 'EVOLVE-BLOCK-END in line 2 has no EVOLVE-BLOCK-START before it'],
  ['# EVOLVE-BLOCK-START\n# EVOLVE-BLOCK-START\n', 'line 2 follows that in line 1 without an end'],
  ['x = 1  # EVOLVE-BLOCK-START\n', 'line 1 holds EVOLVE-BLOCK-START, but not as a comment on a line of its own'],
])('markers without pairs are a problem: %j', (file, problem) => {
  expect(readRegions(file)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) as string });
});

test('lines inside a region may change in any number', () => {
  expect(refused((text) => text.replace('lr = 1\nwd = 2\n', 'a\nb\nc\nd\n'))).toBeNull();
  expect(refused((text) => text.replace('lr = 1\nwd = 2\n', ''))).toBeNull();
});

test.each([
  ['a line before', 'import os', 'import sys', 'line 1 must stay "import os"'],
  ['a line behind', 'run()', 'stop()', 'line 6 must stay "run()"'],
  ['a marker', '# EVOLVE-BLOCK-END', '# EVOLVE-BLOCK-END of it', 'line 5 must stay "# EVOLVE-BLOCK-END"'],
  ['a removed marker', '# EVOLVE-BLOCK-END\n', '', 'EVOLVE-BLOCK-START in line 2 has no EVOLVE-BLOCK-END'],
  ['an added region', 'lr = 1', '# EVOLVE-BLOCK-END\nlr = 1\n# EVOLVE-BLOCK-START', 'must stay'],
  ['an added line', 'run()\n', 'run()\nmore()\n', '"more()" would be added behind them'],
  ['the ends of lines', 'run()\n', 'run()\r\n', 'line 6 must stay "run()"'],
])('a change of %s is refused with the line and the regions', (_, old, made, reason) => {
  const why = refused((text) => text.replace(old, made));
  expect(why).toContain('in a.py only these lines may change: lines 3–4 (region 1)');
  expect(why).toContain(reason);
});

test('a file without markers may change anywhere, but gets no markers', () => {
  expect(outsideRegions('a.py', 'x\n', 'y\n')).toBeNull();
  expect(outsideRegions('a.py', 'x\n', '# EVOLVE-BLOCK-START\n')).toContain('remove EVOLVE-BLOCK-START');
});
