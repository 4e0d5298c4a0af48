// Writes the training text of the workspace, once: node make-corpus.mjs > ../workspace/corpus.txt
import { randomOf } from './random.mjs';
import { textOf } from './source.mjs';

const CHARACTERS = 200_000;

process.stdout.write(textOf(randomOf('corpus/1'), CHARACTERS));
