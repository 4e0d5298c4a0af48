import { applyEdits } from '../../edit/apply-edits.ts';
import type { Edit } from '../../edit/edit.ts';
import type { EditScope } from '../../edit/scope/edit-scope.ts';
import { setKnobs } from '../../edit/set-knobs.ts';
import type { ListedCandidate } from './read-list.ts';

export type AppliedListed =
  | { ok: true; files: Record<string, string>; edits: Edit[]; hypothesis: string }
  /** `isParent`: the candidate is the parent itself. */
  | { ok: false; reason: string; isParent: boolean };

/** A listed candidate on top of a parent's mutable files (path to text): whole files first, then knobs. */
export function applyListed(
  { label, files, settings, hypothesis, isWhole = false }: ListedCandidate,
  { parent, scope }: { parent: Record<string, string>; scope: EditScope },
): AppliedListed {
  const written = Object.entries(files)
    .filter(([path, content]) => parent[path] !== content)
    .map(([path, content]): Edit => ({ path, content }));
  const gone = isWhole ? Object.keys(parent).filter((path) => !Object.hasOwn(files, path)) : [];
  const replaced = [...written, ...gone.map((path): Edit => ({ path, remove: true }))];
  const before = replaced.length === 0 ? parent : withEdits(parent, replaced, scope);
  if (typeof before === 'string') return { ok: false, reason: before, isParent: false };
  const knobs = settings.length === 0 ? null : setKnobs(settings, before);
  if (knobs?.ok === false && knobs.label !== 'no-change') return { ok: false, reason: knobs.reason, isParent: false };
  const set = knobs?.ok === true ? knobs : { edits: [], hypothesis: null };
  const edits = [...replaced, ...set.edits];
  if (edits.length === 0) return { ok: false, reason: 'it is the parent', isParent: true };
  const after = set.edits.length === 0 ? before : withEdits(before, set.edits, scope);
  if (typeof after === 'string') return { ok: false, reason: after, isParent: false };
  const text = [hypothesis, set.hypothesis].filter((part) => part !== null && part !== '').join('; ');
  return { ok: true, files: after, edits, hypothesis: text === '' ? label : `${label}: ${text}` };
}

/** The files with edits, or the reason why these do not apply. */
function withEdits(
  files: Record<string, string>,
  edits: readonly Edit[],
  scope: EditScope,
): Record<string, string> | string {
  const applied = applyEdits(files, edits, scope);
  return applied.ok ? applied.files : applied.reason;
}
