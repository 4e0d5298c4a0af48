/** The reason why a glob of new or deleted files is refused, or null: it has more than `*`, `**` and `?`. */
export function globProblem(glob: string): string | null {
  const odd = /[[\]{}()!+@]/.exec(glob)?.[0];
  if (odd !== undefined) return `it holds ${odd}; only *, ** and ? have a meaning here`;
  if (/[^/]\*\*|\*\*[^/]/.test(glob)) return 'it holds ** beside other characters; ** is a whole part of a path';
  // More of them would make a match slow for some paths.
  if (/\*\*\/(?:.*\/)?\*\*/.test(glob)) return 'it holds ** twice';
  if (glob.split('/').some((part) => part !== '**' && part.split('*').length > 4)) return 'a part of it has over 3 *';
  return null;
}

/** A glob as a pattern of whole relative paths: `*` and `?` stay in one part of a path, `**` is any number of parts. */
export function globPattern(glob: string): RegExp {
  const parts = glob.split('/');
  const source = parts.map((part, index) => partPattern(part, index === parts.length - 1)).join('');
  return new RegExp(`^${source}$`);
}

function partPattern(part: string, isLast: boolean): string {
  if (part === '**') return isLast ? '.+' : '(?:[^/]+/)*';
  const text = part
    .replace(/\*+/g, '*')
    .replace(/[.\\^$|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]');
  // A part is never empty.
  return `(?=[^/])${text}${isLast ? '' : '/'}`;
}
