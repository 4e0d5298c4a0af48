import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';
import { plural } from '../../domain/text/plural.ts';

/** Longest answer of an interpreter, in ms. A first start on a slow disk takes seconds. */
const LONGEST_MS = 20_000;
/** Most packages that are named. */
const MOST = 40;

/**
 * Prints the version, those of the packages that the modules belong to, and the number of other packages. It prints no
 * path: the text goes to a model.
 */
const ASK = `
import json, sys
from importlib import metadata
wanted, found, count = set(json.loads(sys.argv[1])), {}, set()
for package in metadata.distributions():
    name = package.metadata["Name"]
    if not name:
        continue
    count.add(name)
    modules = set((package.read_text("top_level.txt") or "").split()) | {name, name.replace("-", "_")}
    if not modules & wanted:
        modules |= {file.parts[0].split(".")[0] for file in package.files or []}
    if modules & wanted:
        found[name] = package.version
print(json.dumps({"version": sys.version.split()[0], "packages": found, "others": len(count) - len(found)}))
`;

const Answer = z.object({
  version: z.string().regex(/^[\w.+-]{1,40}$/),
  packages: z.record(z.string(), z.unknown()),
  others: z.number().int().nonnegative(),
});

/** A task's command, and what decides which programs it starts. */
export interface ProgramNeeds {
  command: string;
  /** Absolute folders of programs, in the order of the run's PATH. */
  path: readonly string[];
  /** Modules of Python that its files import. */
  modules: readonly string[];
}

/**
 * Describes the Python and the Node of a run on this machine, a line each, such as `Python 3.11.4 with numpy 2.1.0, and
 * 12 other packages`. A program that does not answer is left out.
 */
export async function describePrograms({ command, path, modules }: ProgramNeeds): Promise<string[]> {
  const env = { PATH: path.join(':'), LANG: 'C.UTF-8' };
  const ask = async (program: string, args: string[]): Promise<string | null> => {
    try {
      const options = { env, cwd: tmpdir(), timeout: LONGEST_MS, maxBuffer: 1024 * 1024 };
      return (await promisify(execFile)(program, args, options)).stdout.trim();
    } catch {
      return null; // A prompt without this line is still a prompt; the run itself reports a missing program.
    }
  };
  const python = programIn(command, /^python[\d.]*$/) ?? (modules.length > 0 ? 'python3' : null);
  const node = programIn(command, /^(?:node|npm|npx)$/);
  const lines: string[] = [];
  if (python !== null) lines.push(...describePython(await ask(python, ['-I', '-c', ASK, JSON.stringify(modules)])));
  const version = node === null ? null : await ask(node.replace(/np[mx]$/, 'node'), ['--version']);
  if (version !== null && /^v[\w.-]{1,40}$/.test(version)) lines.push(`Node ${version.slice(1)}`);
  return lines;
}

/** The first word of a command that names a program, with or without its folder. */
const programIn = (command: string, name: RegExp): string | null =>
  command.split(/[\s;|&()'"]+/).find((word) => name.test(word.split('/').at(-1) ?? '')) ?? null;

function describePython(answer: string | null): string[] {
  const read = Answer.safeParse(parsed(answer));
  if (!read.success) return [];
  const { version, packages, others } = read.data;
  const names = Object.entries(packages)
    .map(([name, release]) => `${name} ${String(release)}`)
    .filter((text) => /^[\w.-]{1,80} [\w.+!-]{1,60}$/.test(text));
  const named = names.sort().slice(0, MOST).join(', ');
  const rest = others + Math.max(0, names.length - MOST);
  const more = rest === 0 ? '' : plural(rest, 'other package');
  const all = [named, more].filter((text) => text !== '').join(', and ');
  return [`Python ${version}${all === '' ? ', no packages' : ` with ${all}`}`];
}

function parsed(answer: string | null): unknown {
  try {
    return JSON.parse(answer ?? 'null');
  } catch {
    return null; // Another program of that name.
  }
}
