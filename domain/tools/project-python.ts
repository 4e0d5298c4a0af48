import { readRequirement, satisfies } from './requirement.ts';

/** Python that the files of a project ask for. */
export interface ProjectPython {
  /** Version in `.python-version`; null: none. */
  pinned: string | null;
  /** The lowest version that the project accepts; null: it states none. */
  lowest: string | null;
  /** True if the project accepts a version. */
  accepts: (version: string) => boolean;
}

/** Minor versions of Python 3 that a task's environment may have. */
const MINORS = Array.from({ length: 11 }, (_, index) => 9 + index);

/** Reads which Python a project asks for, from the texts of its files, by path. */
export function projectPython(texts: Readonly<Record<string, string>>): ProjectPython {
  const required =
    ['uv.lock', 'pyproject.toml']
      .map((path) => /^requires-python\s*=\s*["']([^"']+)["']/m.exec(texts[path] ?? '')?.[1])
      .find((text) => text !== undefined) ?? '';
  const bounds = boundsIn(required);
  // A bound such as >=3.11.2 accepts a later 3.11.
  const lowest = MINORS.find((minor) => satisfies(`3.${minor}.99`, bounds));
  const accepted = lowest === undefined ? pythonVersionIn(required) : `3.${lowest}`;
  return {
    pinned: pythonVersionIn(texts['.python-version'] ?? ''),
    lowest: required === '' ? null : accepted,
    accepts: (version) => satisfies(version, bounds),
  };
}

/** The first version of Python 3 in a text, without its third number: a machine may have another one. */
export const pythonVersionIn = (text: string): string | null => /(?<![\d.])3\.\d{1,2}/.exec(text)?.[0] ?? null;

function boundsIn(required: string): Parameters<typeof satisfies>[1] {
  const parts = required.split(',').map((part) => part.trim());
  const plain = parts.filter((part) => part !== '' && !part.startsWith('!='));
  const text = plain.join(',').replaceAll('~=', '>=').replaceAll('.*', '');
  return readRequirement(`python${text}`)?.bounds ?? [];
}
