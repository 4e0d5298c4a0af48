import { z } from 'zod';
import { globPattern } from '../edit/scope/glob-pattern.ts';
import { MOST_MUTABLE_BYTES } from '../edit/mutable-size.ts';
import type { EditScope } from '../edit/scope/edit-scope.ts';

/** File in the work tree in which an agent's script leaves the new files. */
export const NEW_FILES = '.perpetua-agent/new-files.json';
/** Largest size of that file: the bytes are in base64. */
export const NEW_FILES_MB = (2 * MOST_MUTABLE_BYTES) / 1024 / 1024;

/** Files that an agent's script collects: those that a pattern matches and that the workspace does not have. */
export interface CollectedFiles {
  /** Sources of regular expressions. */
  patterns: readonly string[];
  known: readonly string[];
  most: number;
  mostBytes: number;
}

/** New files that an agent left. `more`: files that were left out, since they are too many or too large. */
export interface NewFiles {
  files: { path: string; bytes: Uint8Array }[];
  more: number;
}

/** The new files to collect in a scope; null if it allows none. */
export const collectedIn = ({ rules, mutablePaths, taken }: EditScope): CollectedFiles | null =>
  rules.create.length === 0
    ? null
    : {
        patterns: rules.create.map((glob) => globPattern(glob).source),
        known: [...mutablePaths, ...taken],
        most: rules.mostNewFiles,
        mostBytes: MOST_MUTABLE_BYTES,
      };

const Listed = z.object({ files: z.array(z.tuple([z.string(), z.string()])), more: z.number().int().min(0) });

/** Reads the new files that an agent left; null if the agent replaced the list by something else. */
export function readNewFiles(content: Uint8Array): NewFiles | null {
  try {
    const { files, more } = Listed.parse(JSON.parse(new TextDecoder().decode(content)));
    return { files: files.map(([path, text]) => ({ path, bytes: fromBase64(text) })), more };
  } catch {
    return null;
  }
}

const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/**
 * The program, in JavaScript, that lists new files of the work tree. It follows no link, and reads only plain files.
 * The agent could have changed anything there: what it lists is checked like any other edit.
 */
export const collectorProgram = (collected: CollectedFiles): string => `
const fs = require('node:fs'), path = require('node:path');
const { patterns, known, most, mostBytes } = ${JSON.stringify(collected)};
const expressions = patterns.map((source) => new RegExp(source));
const have = new Set(known), skip = new Set(['.git', '__pycache__', '.DS_Store', '.perpetua', '.perpetua-agent']);
const files = []; let more = 0, bytes = 0;
const walk = (folder) => {
  for (const entry of fs.readdirSync(folder || '.', { withFileTypes: true })) {
    if (skip.has(entry.name)) continue;
    const at = folder ? folder + '/' + entry.name : entry.name;
    if (entry.isDirectory()) walk(at);
    else if (entry.isFile() && !have.has(at) && expressions.some((one) => one.test(at))) {
      const { size } = fs.statSync(at);
      if (files.length >= most || bytes + size > mostBytes) { more += 1; continue; }
      bytes += size;
      files.push([at, fs.readFileSync(at).toString('base64')]);
    }
  }
};
walk('');
fs.rmSync(${JSON.stringify('.perpetua-agent')}, { recursive: true, force: true });
fs.mkdirSync(${JSON.stringify('.perpetua-agent')});
fs.writeFileSync(${JSON.stringify(NEW_FILES)}, JSON.stringify({ files, more }));
`;
