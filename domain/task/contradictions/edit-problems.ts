import { globProblem } from '../../edit/scope/glob-pattern.ts';
import { removalProblem, scopeOf } from '../../edit/scope/edit-scope.ts';
import { readRegions } from '../../edit/scope/regions.ts';
import { type Problem, describeValue } from '../../issue/problem.ts';
import { findAssignments } from '../../knob/knob-value.ts';
import { pathProblem } from '../../text/path-problem.ts';
import type { Task } from '../task.ts';

/** Problems of the globs of new and deleted files. */
export function editProblems({ edits }: Task): Problem[] {
  const keys = ['create', 'remove'] as const;
  return keys.flatMap((key) =>
    edits[key].flatMap((glob, i): Problem[] => {
      const why = pathProblem(glob) ?? globProblem(glob);
      if (why === null) return [];
      const got = `${describeValue(glob)}: ${why}`;
      return [{ path: ['edits', key, i], expected: 'a glob inside the workspace', got, todo: 'such as lib/**/*.py' }];
    }),
  );
}

interface Texts {
  /** Paths of the workspace. */
  paths: readonly string[];
  /** Mutable files: path to text. */
  texts: Readonly<Record<string, string>>;
}

/** Problems of `edits` that depend on the files: markers, knobs outside of regions, globs that allow nothing. */
export function editFileProblems(task: Task, { paths, texts }: Texts): Problem[] {
  const { edits, knobs } = task;
  const scope = scopeOf({ task, mutablePaths: Object.keys(texts) }, paths);
  const removable = (path: string): boolean => removalProblem(path, scope) === null;
  const unmatched = edits.remove.flatMap((glob, i): Problem[] => {
    const alone = { ...scope, rules: { ...edits, remove: [glob] } };
    if (Object.keys(texts).some((path) => removalProblem(path, alone) === null)) return [];
    const todo = 'correct it, or remove it: files that a proposal made may be deleted anyway';
    return [{ path: ['edits', 'remove', i], expected: 'a glob that matches mutable files', got: glob, todo }];
  });
  const ofKnobs = knobs.flatMap(({ file }, i): Problem[] =>
    removable(file)
      ? [
          {
            path: ['knobs', i, 'file'],
            expected: 'a file that no proposal may delete',
            got: `${describeValue(file)}, which edits.remove matches`,
            todo: 'narrow edits.remove',
          },
        ]
      : [],
  );
  return [...unmatched, ...ofKnobs, ...(edits.regions ? regionProblems(task, texts) : [])];
}

function regionProblems({ knobs }: Task, texts: Texts['texts']): Problem[] {
  const path = ['edits', 'regions'];
  const read = Object.entries(texts).map(([file, text]) => ({ file, text, regions: readRegions(text) }));
  const broken = read.flatMap(({ file, regions }): Problem[] =>
    regions.ok
      ? []
      : [
          {
            path,
            expected: 'each EVOLVE-BLOCK-START followed by an EVOLVE-BLOCK-END, each in a comment on a line of its own',
            got: `${file}: ${regions.problem}`,
            todo: 'correct the markers',
          },
        ],
  );
  if (broken.length > 0) return broken;
  if (read.every(({ regions }) => regions.ok && regions.regions.length === 0))
    return [{ path, expected: 'markers in a mutable file', got: 'none', todo: 'add them, or remove edits.regions' }];
  return knobs.flatMap((knob, i): Problem[] => {
    const found = read.find(({ file }) => file === knob.file);
    const [at] = found === undefined ? [] : findAssignments(found.text, knob.name, knob.file);
    if (found === undefined || at === undefined || !found.regions.ok || found.regions.regions.length === 0) return [];
    const line = found.text.slice(0, at.start).split(/\r\n|\n|\r/).length;
    if (found.regions.regions.some(({ from, to }) => line > from && line < to)) return [];
    return [
      {
        path: ['knobs', i],
        expected: `a value inside a region of ${knob.file}, since edits.regions is true`,
        got: `${knob.name} in line ${line}, outside of them`,
        todo: 'put the line between markers',
      },
    ];
  });
}
