import { knobSettings } from './contradictions/knobs.ts';
import { learning } from './contradictions/learning.ts';
import { measuring } from './contradictions/measuring.ts';
import { paths } from './contradictions/paths.ts';
import { running } from './contradictions/running.ts';
import { searching } from './contradictions/searching.ts';
import { texts } from './contradictions/texts.ts';
import { pathText, type Problem } from './issue.ts';
import type { Task } from './task.ts';

/** What a task that fits the schema says against itself, or asks for although it is not built; empty where all is well. */
export function contradictions(task: Task): Problem[] {
  const checks = [paths, running, measuring, searching, learning, knobSettings];
  const problems = checks.flatMap((check) => check(task));
  const told = new Set(problems.map(({ path }) => pathText(path)));
  return [...problems, ...texts(task).filter(({ path }) => !told.has(pathText(path)))];
}
