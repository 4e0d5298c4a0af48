import { tooLargeTogether } from '../edit/mutable-size.ts';
import { unfitReason } from '../edit/apply-edits.ts';
import type { Failure } from '../trial.ts';
import { type EditScope, findViolation, removalProblem } from '../edit/scope/edit-scope.ts';
import { NO_RELAY } from './agent-script.ts';
import type { NewFiles } from './new-files.ts';

/** Files and output that an agent left, and its end. */
export interface AgentResult {
  /** The parent's mutable files: path to text. */
  parent: Readonly<Record<string, string>>;
  /** The mutable files at the end: path to bytes. A file that is missing was removed, or is no plain file. */
  left: ReadonlyMap<string, Uint8Array>;
  /** Scope of the agent's edits; absent: the text of the mutable files. */
  scope?: EditScope;
  /** New files that the agent left, as `listNewFiles` gives them. */
  created?: NewFiles;
  tooLarge: readonly string[];
  /** How the run ended, in words; null: by itself, with exit code 0. */
  ending: string | null;
  exitCode: number | null;
  /** Calls of models that were answered. */
  calls: number;
  /** The agent's last message; empty: none is known. */
  message: string;
  /** End of its output. */
  output: string;
}

export type AgentProposal =
  | { ok: true; files: Record<string, string>; changed: string[]; removed: string[]; hypothesis: string }
  | { ok: false; failure: Failure };

/** Characters of a hypothesis, and of the output in a failure's message. */
const MOST = { hypothesis: 2000, output: 600 };

/**
 * The proposal of an agent: the mutable files as they are when it ends. Exit codes mean nothing, since some agents exit
 * with 0 after a failure; so the files decide, and without a change, the calls.
 */
export function readAgentProposal(result: AgentResult): AgentProposal {
  const { parent, left, tooLarge, ending } = result;
  const failed = (label: Failure['label'], message: string): AgentProposal => ({
    ok: false,
    failure: { label, message },
  });
  const files: Record<string, string> = {};
  for (const [path, before] of Object.entries(parent)) {
    if (tooLarge.includes(path))
      return failed('edit-does-not-apply', `${path} is larger than all mutable files may be`);
    const bytes = left.get(path);
    if (bytes === undefined) {
      const problem = result.scope ? removalProblem(path, result.scope) : 'the task allows no file to be deleted';
      if (problem === null) continue;
      return failed('edit-does-not-apply', `expected ${path}, which the agent removed: ${problem}`);
    }
    const text = textOf(bytes);
    if (text === null) return failed('edit-does-not-apply', `expected text in ${path}, got bytes that are no UTF-8`);
    const unfit = text === before ? null : unfitReason(path, text);
    if (unfit !== null) return failed('edit-does-not-apply', unfit);
    files[path] = text;
  }
  const created = result.created ?? { files: [], more: 0 };
  if (created.more > 0)
    return failed('edit-outside-mutable', `the agent left too many or too large new files: ${created.more} of them`);
  for (const { path, bytes } of created.files) {
    const text = textOf(bytes);
    const unfit = text === null ? `expected text in ${path}, got bytes that are no UTF-8` : unfitReason(path, text);
    if (unfit !== null || text === null) return failed('edit-does-not-apply', unfit ?? '');
    files[path] = text;
  }
  const removed = Object.keys(parent).filter((path) => !Object.hasOwn(files, path));
  const changed = Object.keys(files).filter((path) => !Object.hasOwn(parent, path) || files[path] !== parent[path]);
  if (changed.length + removed.length === 0) return nothingChanged(result);
  const violation = result.scope ? findViolation(parent, files, result.scope) : null;
  if (violation !== null) {
    const { path, reason, isRegion } = violation;
    return failed('edit-outside-mutable', isRegion ? reason : `${JSON.stringify(path)}: ${reason}`);
  }
  const excess = tooLargeTogether(files);
  if (excess !== null) return failed('edit-does-not-apply', excess);
  const message = result.message.trim() || `changes ${[...changed, ...removed].join(', ')}`;
  const end = ending === null ? '' : ` (${ending})`;
  return { ok: true, files, changed, removed, hypothesis: message.slice(0, MOST.hypothesis - end.length) + end };
}

function nothingChanged({ ending, exitCode, calls, message, output }: AgentResult): AgentProposal {
  const said = (message.trim() || output.trim()).slice(-MOST.output);
  const how = ending ?? 'it ended by itself';
  const label = calls === 0 || exitCode === NO_RELAY ? 'proposer-failed' : 'no-change';
  const asked = calls === 0 ? 'asked no model' : `asked ${calls === 1 ? 'a model once' : `models ${calls} times`}`;
  const text = `the agent changed no mutable file and ${asked}; ${how}${said === '' ? '' : `. It said: ${said}`}`;
  return { ok: false, failure: { label, message: text } };
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
