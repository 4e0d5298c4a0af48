import { expect, test } from 'vitest';
import { findMention } from '../../../domain/source/find-mention.ts';

const ROOTS = { roots: ['/home/u/proj'], home: '/home/u' };

test.each(['open("/home/u/proj/a.csv")', 'cd /home/u/proj', "ROOT='~/proj'", 'p = "$HOME/proj/data"', '${HOME}/proj'])(
  '%s names the folder of the program',
  (text) => expect(findMention([{ path: 'a', text }], ROOTS)).not.toBeNull(),
);

test.each([
  '/home/u/project',
  '/data/home/u/proj',
  '/home/u/proj.old/x',
  '/home/u',
  'proj/a.csv',
  '/home/u/proj/.venv/bin/python',
])('%s names another folder', (text) => expect(findMention([{ path: 'a', text }], ROOTS)).toBeNull());
