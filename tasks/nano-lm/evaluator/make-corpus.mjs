// Writes the training text, by the installation's secret. The file in the workspace was written without a secret:
//   node make-corpus.mjs > ../workspace/corpus.txt
import { randomOf } from './random.mjs';
import { textOf } from './source.mjs';

const CHARACTERS = 200_000;

const SECRET = process.env.PERPETUA_TASK_SECRET;

process.stdout.write(textOf(randomOf(SECRET ? `corpus/1/${SECRET}` : 'corpus/1'), CHARACTERS));
