import { expect, it } from 'vitest';
import { classifyCrash } from '../../../domain/prompt/classify-crash.ts';

it.each([
  ['torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB', 'out-of-memory'],
  ['FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory', 'out-of-memory'],
  ['MemoryError', 'out-of-memory'],
  ['terminate called: std::bad_alloc', 'out-of-memory'],
  ['OOM!', 'out-of-memory'],
  ['See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF', 'out-of-memory'],
  [
    'unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid',
    'out-of-memory',
  ],
  ['ry setting PYTORCH_ALLOC_CONF', 'out-of-memory'],
  ['see also PYTORCH_HIP_ALLOC_CONF.', 'out-of-memory'],
  ['=expandable_segments:True to avoid fragmentation. See documentation', 'out-of-memory'],
  ['(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)', 'out-of-memory'],
  ['GPU 0 has a total capacity of 79.10 GiB of which 3.00 MiB is free.', 'out-of-memory'],
  ['20.00 MiB free; 15 GiB reserved in total by PyTorch) If reserved memory', 'out-of-memory'],
  ['RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`', 'out-of-memory'],
  ['hipErrorOutOfMemory', 'out-of-memory'],
  ['CUDA_ERROR_OUT_OF_MEMORY: 2', 'out-of-memory'],
  ['numpy.core._exceptions._ArrayMemoryError: Unable to allocate 7 GiB for an array', 'out-of-memory'],
  ["DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes", 'out-of-memory'],
  ['memory allocation of 137438953472 bytes failed', 'out-of-memory'],
  ['java.lang.OutOfMemoryError: Java heap space', 'out-of-memory'],
  ['PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True', 'other'],
  ['{"PYTORCH_ALLOC_CONF": "expandable_segments:True"}', 'other'],
  ['UserWarning: PYTORCH_CUDA_ALLOC_CONF is deprecated, use PYTORCH_ALLOC_CONF instead', 'other'],
  ["SyntaxError: Unexpected token '}'", 'syntax-error'],
  ['IndentationError: unexpected indent', 'syntax-error'],
  ['AssertionError: shapes differ', 'assertion'],
  ["a.out: main.c:3: main: Assertion `x > 0' failed.", 'assertion'],
  ["ModuleNotFoundError: No module named 'foo'", 'missing-module'],
  ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x'", 'missing-module'],
  ['sh: 1: pyhton: command not found', 'missing-module'],
  ['OSError: AF_UNIX path too long', 'path-too-long'],
  ["OSError: [Errno 36] File name too long: 'x'", 'path-too-long'],
  ['Error: ENAMETOOLONG: name too long, open', 'path-too-long'],
  ['ValueError: loss is NaN', 'not-a-number'],
  ['step 3 loss nan', 'not-a-number'],
  ['Killed', 'killed'],
  ['subprocess died with SIGKILL', 'killed'],
  ['there is room in the broom cupboard', 'other'],
  ['a banana, a nanometre and nan.txt', 'other'],
  ['skilled workers', 'other'],
  ['the path to the answer took too long', 'other'],
  ['the step took too long', 'other'],
  ['ZeroDivisionError: division by zero', 'other'],
])('classifies %j as %s', (line, kind) => {
  expect(classifyCrash(`step 1\nstep 2\n${line}\n\n  \n`)).toEqual({ kind, line });
});

it('returns the last line of the most specific class, even above the end', () => {
  expect(classifyCrash('OOM 1\nOOM 2\nTraceback\nexit\n')).toEqual({ kind: 'out-of-memory', line: 'OOM 2' });
});

it.each([120, 5000])('keeps the end of a long line, which names the error, as well as its beginning (%i)', (length) => {
  const { kind, line } = classifyCrash(
    `cat: /data/${'deep/'.repeat(length / 5)}corpus.txt: No such file or directory\n`,
  );
  expect(kind).toBe('other');
  expect(line).toMatch(/^cat: \/data\/deep\/.* … .*\/corpus\.txt: No such file or directory$/);
  expect(line.length).toBeLessThanOrEqual(120);
});

it('classifies a long line by its end, too', () => {
  expect(classifyCrash(`${'x'.repeat(5000)} Out of memory`).kind).toBe('out-of-memory');
});

it('classifies an empty log as silent, and cuts and cleans a line', () => {
  expect(classifyCrash(' \n\n')).toEqual({ kind: 'silent', line: '' });
  const { line } = classifyCrash(`\u001b[31m${'long '.repeat(100)}\u0007`);
  expect(line.length).toBeLessThanOrEqual(120);
  expect(line.startsWith('long long')).toBe(true);
});

it('returns the uncaught error, not the version that Node adds', () => {
  const stack =
    "file:///w/train.mjs:3\nthrow new RangeError('too wide');\n      ^\n\n" +
    'RangeError: too wide\n    at file:///w/train.mjs:3:7\n    at run (node:internal/x:1:1)\n';
  expect(classifyCrash(`Error: tried again\n${stack}\nNode.js v20.20.2\n`)).toEqual({
    kind: 'other',
    line: 'RangeError: too wide',
  });
  expect(classifyCrash('Error: tried again\nstopped by hand\n').line).toBe('stopped by hand');
  expect(classifyCrash('Node.js v20.20.2\n').line).toBe('Node.js v20.20.2');
});
