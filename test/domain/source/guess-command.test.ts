import { expect, test } from 'vitest';
import { guessCommand } from '../../../domain/source/guess-command.ts';

const SCRIPTS = JSON.stringify({ scripts: { test: 'vitest', train: 'node src/fit.js --fast' } });

test.each<[string, Record<string, string>, string]>([
  [
    'a program that prints its loss',
    { 'train.py': 'print(f"loss: {loss}")', 'README.md': '' },
    '--run "python3 train.py" --metric loss --minimize',
  ],
  [
    'an evaluation, whose metric counts',
    { 'main.py': 'print("loss:", loss)', 'evaluate.py': 'print(json.dumps({"accuracy": right / n}))', 'data.csv': '' },
    '--run "python3 main.py" --eval "python3 evaluate.py" --metric accuracy --maximize',
  ],
  [
    'the likelier of two programs',
    { 'main.py': '', 'train.py': '' },
    '--run "python3 train.py" --metric NAME --minimize',
  ],
  ['the only program', { 'digits.py': '', 'notes.txt': '' }, '--run "python3 digits.py" --metric NAME --minimize'],
  ['a script of package.json', { 'package.json': SCRIPTS }, '--run "node src/fit.js --fast" --metric NAME --minimize'],
  ['a package.json that does not parse', { 'package.json': '{' }, '--run "COMMAND" --metric NAME --minimize'],
  ['two unknown programs', { 'a.py': '', 'b.py': '' }, '--run "COMMAND" --metric NAME --minimize'],
  ['a shell script', { 'train.sh': 'echo "rmse: $x"' }, '--run "sh train.sh" --metric rmse --minimize'],
])('the command is filled in for %s', (_, files, rest) => {
  expect(guessCommand('my dir', files)).toBe(`npx perpetua start --source 'my dir' ${rest}`);
});
