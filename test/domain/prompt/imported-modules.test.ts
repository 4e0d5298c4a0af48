import { expect, test } from 'vitest';
import { importedModules } from '../../../domain/prompt/imported-modules.ts';

test('modules are named once, by their first name, without those of the sources themselves', () => {
  const sources = {
    'train.py': [
      'import os, sys  # both',
      'import numpy.linalg as la, scipy',
      'from torch.nn import functional',
      'from . import data',
      'import model',
      'def late():',
      '    import numpy',
      '    import jax; x = 1',
      '    from pandas import(',
      '        frame)',
      '    importlib.import_module("flax.linen")',
      '# import commented',
      'text = "import quoted"',
    ].join('\n'),
    'lib/model.py': 'import torch\n',
    'helpers/__init__.py': 'from helpers import tools\n',
  };
  expect(importedModules(sources).sort()).toEqual(['flax', 'jax', 'numpy', 'os', 'pandas', 'scipy', 'sys', 'torch']);
});
