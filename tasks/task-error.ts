/** One problem of a task. */
export interface TaskIssue {
  file: string;
  /** Key path such as `run.budget.seconds` or `knobs[0].range`; `(top)` for the file as a whole. */
  path: string;
  /** Counted from 1; null if the problem has no position in the file. */
  line: number | null;
  column: number | null;
  expected: string;
  got: string;
  /** The known key or value most similar to the one in the file. */
  nearest: string | null;
  /** Advice that fixes the problem. */
  todo: string;
  /** The sentence that is printed, without the position. */
  message: string;
}

interface Wording {
  /** Name of the refused file's content. Default: task. */
  what?: string;
  /** True if the content has further checks, which need these issues corrected. */
  moreChecks?: boolean;
  /** The whole message, instead of the list of issues. */
  message?: string;
}

/** Refusal of a task, or of another file that is written like a task. `message` lists all issues, one a line. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly issues: readonly TaskIssue[];
  constructor(issues: readonly TaskIssue[], { what = 'task', moreChecks = false, message }: Wording = {}) {
    super(message ?? listIssues(issues, what, moreChecks));
    this.issues = issues;
  }
}

const MOST_PRINTED = 30;

function listIssues(issues: readonly TaskIssue[], what: string, moreChecks: boolean): string {
  const lines = issues.slice(0, MOST_PRINTED).map(issueText);
  const more = moreChecks ? ' (further checks follow once this is correct)' : '';
  if (issues.length === 1) return `The ${what} is refused: ${lines[0]}${more}`;
  const printed = [`The ${what} is refused, ${issues.length} problems:`, ...lines.map((line) => `  ${line}`)];
  if (issues.length > MOST_PRINTED) printed.push(`  … and ${issues.length - MOST_PRINTED} more`);
  return printed.join('\n');
}

/** An issue as one line: `task.yaml:3:7 run.budget.seconds: expected …, got …; do …`. */
function issueText({ file, line, column, path, message }: TaskIssue): string {
  const position = line === null ? `${file}:` : `${file}:${line}:${column ?? 1}`;
  return path === '(top)' ? `${position} ${message}` : `${position} ${path}: ${message}`;
}
