import { expect, it } from 'vitest';
import { packagesIn } from '../../../domain/prompt/packages.ts';

it('names the packages of a list with hashes, comments, extras and conditions', () => {
  const list = `# by uv
numpy==2.1.0 \\
    --hash=sha256:00
    # via scipy
scikit-learn[all]==1.5.2 ; python_version >= "3.11"
`;
  expect(packagesIn(list)).toEqual(['numpy 2.1.0', 'scikit-learn 1.5.2']);
});

it('names the packages of a uv.lock, without the project itself', () => {
  const lock = `version = 1

[[package]]
name = "numpy"
version = "2.1.0"
source = { registry = "https://example.org/simple" }

[[package]]
name = "my-task"
version = "0.1.0"
source = { virtual = "." }
`;
  expect(packagesIn(lock)).toEqual(['numpy 2.1.0']);
});
