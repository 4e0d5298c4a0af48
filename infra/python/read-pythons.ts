/** An interpreter of Python on a host. */
export interface Python {
  version: string;
  /** Prefix of the installation. */
  folder: string;
  path: string;
  /** Hash of version, compiler and platform. */
  build: string;
}

/** Interpreters of a host for a requested version. */
export interface Pythons {
  /** Platform as `uname -sm` names it. */
  machine: string;
  /** First interpreter that fits; null if none does. */
  fits: Python | null;
  /** All interpreters found, if none fits. */
  others: Python[];
}

/** Reads the output of `pythons.sh`, whose first line names the machine. */
export function readPythons(output: string): Pythons {
  const [machine = '', ...lines] = output.split('\n');
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
