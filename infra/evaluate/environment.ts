import { dirname } from 'node:path';
import { SYSTEM_PATH } from '../system-path.ts';

/** The environment of a program of the evaluator's: nothing of ours but what makes programs run, this Node among them. */
export const evaluatorEnvironment = (directory: string, path: readonly string[] = []) => ({
  PATH: [...path, dirname(process.execPath), SYSTEM_PATH].join(':'),
  HOME: directory,
  LANG: 'C.UTF-8',
});
