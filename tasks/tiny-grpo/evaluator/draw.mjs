// Prints a drawn file of the workspace, by the installation's secret. The files in the workspace have no secret:
//   for name in words.txt problems.txt base.json; do node draw.mjs $name > ../workspace/$name; done
import { WORDS } from './lexicon.mjs';
import { drawProblems, makeBase } from './make-base.mjs';

const PROBLEMS = 2000;

const FILES = {
  'words.txt': () => `${WORDS.join('\n')}\n`,
  'problems.txt': () =>
    drawProblems('problems', PROBLEMS)
      .map(({ text, answer }) => `${text}\t${answer}\n`)
      .join(''),
  'base.json': () => `${JSON.stringify(Array.from(makeBase(), (x) => Number(x.toPrecision(6))))}\n`,
};

const make = FILES[process.argv[2]];
if (make === undefined) throw new Error(`expected one of ${Object.keys(FILES).join(', ')}, got ${process.argv[2]}`);
process.stdout.write(make());
