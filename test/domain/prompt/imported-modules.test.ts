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
      '# import commented',
      'text = "import quoted"',
    ].join('\n'),
    'lib/model.py': 'import torch\n',
    'helpers/__init__.py': 'from helpers import tools\n',
  };
  expect(importedModules(sources)).toEqual(['os', 'sys', 'numpy', 'scipy', 'torch']);
});
