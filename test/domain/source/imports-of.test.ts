import { expect, test } from 'vitest';
import { importedFiles } from '../../../domain/source/imports-of.ts';

const sorted = (begin: string[], texts: Record<string, string>): string[] =>
  [
    ...importedFiles(
      begin,
      Object.entries(texts).map(([path, text]) => ({ path, text })),
    ),
  ].sort();

test('imports of Python are followed in all branches: relative, by name, and with their __init__.py', () => {
  const texts = {
    'run/train.py': 'if big:\n    import models.big as m, helper  # later\nfrom ..shared import (\n  a,\n  b)\n',
    'run/helper.py': 'm = importlib.import_module("plugins.one")\n',
    'models/__init__.py': '',
    'models/big.py': 'from . import layers\nfrom .deep.er import z\n',
    'models/layers.py': '',
    'models/deep/__init__.py': 'import numpy\n',
    'models/deep/er.py': '',
    'models/other.py': '',
    'plugins/one.py': '',
    'shared/a.py': '',
    'src/b.py': '',
    'answers.py': '# import answers\n',
  };
  expect(sorted(['run/train.py'], texts)).toEqual([
    'models/__init__.py',
    'models/big.py',
    'models/deep/__init__.py',
    'models/deep/er.py',
    'models/layers.py',
    'plugins/one.py',
    'run/helper.py',
    'shared/a.py',
  ]);
  expect(sorted(['m.py'], { ...texts, 'm.py': 'import b' })).toEqual(['src/b.py']);
});

test('relative imports of JavaScript and TypeScript are followed, and packages are not', () => {
  const texts = {
    'train.mjs': "import x from './lib/x.js';\nconst y = await import('./y');\nexport * from '../up.js';\n",
    'lib/x.js': "const z = require('./z');\nimport fs from 'node:fs';\nrequire('lodash');\n",
    'lib/z/index.js': '',
    'y.ts': "import { t } from './t.js';\n",
    't.ts': '',
    'lodash.js': '',
  };
  expect(sorted(['train.mjs'], texts)).toEqual(['lib/x.js', 'lib/z/index.js', 't.ts', 'y.ts']);
});
