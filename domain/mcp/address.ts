/** A text that an agent reads by its URI. */
export type Address =
  | { kind: 'skill' }
  | { kind: 'task'; researchId: string }
  | { kind: 'best'; researchId: string; path: string }
  | { kind: 'lead'; researchId: string; path: string }
  | { kind: 'trial'; researchId: string; n: number }
  | { kind: 'log'; researchId: string; n: number }
  | { kind: 'diff'; researchId: string; n: number }
  | { kind: 'file'; researchId: string; n: number; path: string };

const SCHEME = 'perpetua://';

/** Templates of the URIs, with what is behind each. The id of a research is percent-encoded. */
export const ADDRESSES = {
  task: { template: 'perpetua://research/{research}/task', holds: 'the task.yaml of a research' },
  best: {
    template: 'perpetua://research/{research}/best/{+path}',
    holds: 'a file of the best confirmed version; `best` lists the paths',
  },
  lead: {
    template: 'perpetua://research/{research}/lead/{+path}',
    holds: 'a file of the lead, from which the search goes on',
  },
  trial: { template: 'perpetua://trial/{research}/{n}', holds: 'all of a trial as JSON, with prompts and answers' },
  log: { template: 'perpetua://trial/{research}/{n}/log', holds: "the stored tail of a trial's output" },
  diff: { template: 'perpetua://trial/{research}/{n}/diff', holds: 'what a trial changed against its parent' },
  file: { template: 'perpetua://trial/{research}/{n}/files/{+path}', holds: 'a mutable file of a trial' },
} as const;

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The URI of a text. */
export function uriOf(address: Address): string {
  if (address.kind === 'skill') return `${SCHEME}skill`;
  const id = encodeURIComponent(address.researchId);
  switch (address.kind) {
    case 'task':
      return `${SCHEME}research/${id}/task`;
    case 'best':
    case 'lead':
      return `${SCHEME}research/${id}/${address.kind}/${encodePath(address.path)}`;
    case 'trial':
      return `${SCHEME}trial/${id}/${address.n}`;
    case 'file':
      return `${SCHEME}trial/${id}/${address.n}/files/${encodePath(address.path)}`;
    default:
      return `${SCHEME}trial/${id}/${address.n}/${address.kind}`;
  }
}

/** Parses a URI of {@link uriOf}; null for any other text. */
export function parseAddress(uri: string): Address | null {
  if (!uri.startsWith(SCHEME)) return null;
  const parts = decodeParts(uri.slice(SCHEME.length).split('/'));
  if (parts === null) return null;
  const [first, researchId = '', third = '', ...rest] = parts;
  if (first === 'skill' && parts.length === 1) return { kind: 'skill' };
  if (researchId === '') return null;
  if (first === 'research') return ofResearch({ researchId, kind: third, path: rest.join('/') });
  if (first !== 'trial' || !/^[1-9]\d{0,9}$/.test(third)) return null;
  return ofTrial({ researchId, n: Number(third) }, rest);
}

function ofTrial(trial: { researchId: string; n: number }, [kind, ...path]: string[]): Address | null {
  if (kind === undefined) return { ...trial, kind: 'trial' };
  if (kind === 'files') return path.length === 0 ? null : { ...trial, kind: 'file', path: path.join('/') };
  return (kind === 'log' || kind === 'diff') && path.length === 0 ? { ...trial, kind } : null;
}

function ofResearch({ researchId, kind, path }: { researchId: string; kind: string; path: string }): Address | null {
  if (kind === 'task') return path === '' ? { kind, researchId } : null;
  if (kind !== 'best' && kind !== 'lead') return null;
  return path === '' ? null : { kind, researchId, path };
}

function decodeParts(parts: readonly string[]): string[] | null {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}
