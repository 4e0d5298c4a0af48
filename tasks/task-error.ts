/** One thing that is wrong with a task. */
export interface TaskIssue {
  file: string;
  /** Key path such as `run.budget.seconds` or `knobs[0].range`; `(top)` for the file as a whole. */
  path: string;
  /** From 1; null where the problem has no place in the file. */
  line: number | null;
  column: number | null;
  expected: string;
  came: string;
  /** The known key or value most like what came. */
  nearest: string | null;
  /** What to do. */
  todo: string;
  /** The sentence that is printed, without the place. */
  message: string;
}

/** A task (or another file that is written as tasks are) that is refused; `issues` has all that was found, and the message prints them, one a line. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly issues: readonly TaskIssue[];
  constructor(issues: readonly TaskIssue[], what = 'task') {
    super(printed(issues, what));
    this.issues = issues;
  }
}

const MOST_PRINTED = 30;

function printed(issues: readonly TaskIssue[], what: string): string {
  const lines = issues.slice(0, MOST_PRINTED).map(issueText);
  if (issues.length === 1) return `The ${what} is refused: ${lines[0]}`;
  const more = issues.length > MOST_PRINTED ? [`  … and ${issues.length - MOST_PRINTED} more`] : [];
  return [`The ${what} is refused, ${issues.length} problems:`, ...lines.map((line) => `  ${line}`), ...more].join(
    '\n',
  );
}

/** An issue as one line: `task.yaml:3:7 run.budget.seconds: expected …, came …; do …`. */
function issueText({ file, line, column, path, message }: TaskIssue): string {
  const place = line === null ? file : `${file}:${line}:${column ?? 1}`;
  return path === '(top)' ? `${place} ${message}` : `${place} ${path}: ${message}`;
}
