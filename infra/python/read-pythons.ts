/** An interpreter of Python on a host. */
export interface Python {
  version: string;
  /** Its prefix. */
  folder: string;
  path: string;
  /** Changes with its version, its compiler and its platform. */
  build: string;
}

/** What a host has for a version that was asked for. */
export interface Pythons {
  /** As `uname -sm` names it. */
  machine: string;
  /** The first that fits; null where none does. */
  fits: Python | null;
  /** All that were found, where none fits. */
  others: Python[];
}

/** Reads what `pythons.sh` says, behind a line with the machine. */
export function readPythons(said: string): Pythons {
  const [machine = '', ...lines] = said.split('\n');
  const found: Pythons = { machine, fits: null, others: [] };
  for (const line of lines) {
    const [kind, version = '', folder = '', path = '', build = ''] = line.split(' ');
    const python = { version, folder: unescaped(folder), path: unescaped(path), build };
    if (kind === 'fits') found.fits = python;
    if (kind === 'other') found.others.push(python);
  }
  return found;
}

const unescaped = (path: string): string => path.replaceAll('\\x20', ' ');
