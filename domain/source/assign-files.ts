/** Paths of the files that each of a program's two commands opened. */
export interface OpenedFiles {
  run: ReadonlySet<string>;
  evaluation: ReadonlySet<string>;
}

/** Facts about the files of a source folder. A path may be in several sets. */
export interface FileFacts {
  /** Files that a proposal may change. */
  mutable: ReadonlySet<string>;
  /** Files that a person reserved for the evaluation. */
  held: ReadonlySet<string>;
  /** Files that the evaluation's command names. */
  namedByEvaluation: ReadonlySet<string>;
  /** Files that runs get although no run opened them: a person or the command named them, or they are empty. */
  kept: ReadonlySet<string>;
  /** Files that the program imports, in a branch that the observed run did not take. */
  imported: ReadonlySet<string>;
  /** Null: not observed. */
  opened: OpenedFiles | null;
}

/** Paths of a source folder by their use. Each path is in the workspace, or in one of the other two lists. */
export interface FileRoles {
  workspace: string[];
  /** Files of the evaluation that no run can see. */
  evaluatorOnly: string[];
  /** Files that neither command opened: no part of the workspace. */
  unopened: string[];
  /** Files of the workspace that the evaluation uses, too: candidates can read them. */
  shared: string[];
}

/**
 * Assigns each file of a source folder to runs or to the evaluation. If it is known which files were opened, runs get
 * only those that they need, so that answers in an unnoticed file do not reach them.
 */
export function assignFiles(paths: readonly string[], facts: FileFacts): FileRoles {
  const roles: FileRoles = { workspace: [], evaluatorOnly: [], unopened: [], shared: [] };
  for (const path of paths) {
    const role = roleOf(path, facts);
    roles[role].push(path);
    if (role === 'workspace' && isOfEvaluation(path, facts)) roles.shared.push(path);
  }
  return roles;
}

const isOfEvaluation = (path: string, { namedByEvaluation, opened }: FileFacts): boolean =>
  namedByEvaluation.has(path) || (opened?.evaluation.has(path) ?? false);

function roleOf(path: string, facts: FileFacts): 'workspace' | 'evaluatorOnly' | 'unopened' {
  const { mutable, held, namedByEvaluation, kept, imported, opened } = facts;
  if (mutable.has(path)) return 'workspace';
  if (held.has(path)) return 'evaluatorOnly';
  if (kept.has(path)) return 'workspace';
  if (opened === null) return namedByEvaluation.has(path) ? 'evaluatorOnly' : 'workspace';
  if (opened.run.has(path)) return 'workspace';
  if (isOfEvaluation(path, facts)) return 'evaluatorOnly';
  return imported.has(path) ? 'workspace' : 'unopened';
}
