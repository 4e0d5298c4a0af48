import { describe, expect, it } from 'vitest';
import {
  chooseGpus,
  describeBroken,
  parseBrokenGpus,
  parseGpus,
  sharedGpuWithRun,
  type FailedRun,
  type Owner,
} from '../../../domain/fleet/gpus.ts';

/** A run from the 100th to the 200th second of its host. */
const RUN: FailedRun = { gpu: 'GPU-0', began: 100, ended: 200, contained: false, ranAsOurUser: true };
const sharedGpu = (whose: Owner, bornAt: number, run: Partial<FailedRun> = {}): boolean =>
  sharedGpuWithRun({ uuid: 'GPU-0', pid: 7, birth: bornAt * 100, whose }, { ...RUN, ...run });

describe('a process that was on the GPU of a run that failed', () => {
  it('shared the GPU if it belongs to another run that was not given this GPU', () => {
    const contained = { contained: true };
    expect([50, 150, 250].map((born) => sharedGpu('astray', born, contained))).toEqual([true, true, false]);
    // Without containment, leftovers of the failed run itself may look like those of another run.
    expect([50, 150].map((born) => sharedGpu('astray', born))).toEqual([true, false]);
  });

  it('shared the GPU if an earlier run left it; a younger process is one of the run itself', () => {
    expect([sharedGpu('left', 50), sharedGpu('left', 150), sharedGpu('left', 50, { began: null })]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('did not share the GPU if it belongs to a run with that GPU or to a setup, or is unseen', () => {
    for (const whose of ['ours', 'setup', 'unseen'] as const) expect(sharedGpu(whose, 50)).toBe(false);
  });

  it('may be one of the run itself if the run was not contained and had our user', () => {
    expect([sharedGpu('nameless', 150), sharedGpu('nameless', 50)]).toEqual([false, true]);
    expect(sharedGpu('nameless', 150, { contained: true })).toBe(true);
    expect(sharedGpu('stranger', 150)).toBe(true);
  });
});

/** The output of nvidia-smi for two A100, the second of which is partitioned (MIG). */
const CUT = `0, GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77, NVIDIA A100-SXM4-40GB, 40960
1, GPU-20bc2bb8-4f68-3e0b-b73a-0b4a5c4a5a54, NVIDIA A100-SXM4-40GB, 40960
GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-20bc2bb8-4f68-3e0b-b73a-0b4a5c4a5a54)
  MIG 3g.20gb     Device  0: (UUID: MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f)
  MIG 1g.5gb+me   Device  1: (UUID: MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb)
`;
const WHOLE = 'GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77';
const [LARGE, SMALL] = ['MIG-c6d4f1ef-42e4-5de3-91c7-45d71c87eb3f', 'MIG-cba663e8-9bed-5b25-b243-5985ef7c9beb'];

describe('a line of nvidia-smi', () => {
  it('is one GPU; a partitioned one (MIG) is its partitions, with the memory of each', () => {
    expect(parseGpus(CUT)).toEqual([
      { index: 0, uuid: WHOLE, name: 'NVIDIA A100-SXM4-40GB', memoryMb: 40960 },
      { index: 1, uuid: LARGE, name: 'NVIDIA A100-SXM4-40GB MIG 3g.20gb', memoryMb: 20480 },
      { index: 1, uuid: SMALL, name: 'NVIDIA A100-SXM4-40GB MIG 1g.5gb+me', memoryMb: 5120 },
    ]);
  });

  it.each([
    ['', 'nothing'],
    ['No devices were found', 'a machine without one'],
    ['Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.183', 'a changed driver'],
    ['0, [N/A], NVIDIA GeForce RTX 4090, 24564', 'a GPU without a UUID'],
  ])('is no GPU: %j, from %s', (text) => {
    expect(parseGpus(text)).toEqual([]);
  });

  it('may have a name with commas, and further columns', () => {
    const gpu = { index: 0, uuid: 'GPU-aa', name: 'NVIDIA, X 1', memoryMb: 81920 };
    for (const more of ['', ', 31, 60.12, 0', ', [N/A], [Not Supported], 7'])
      expect(parseGpus(`0, GPU-aa, NVIDIA, X 1, 81920${more}`)).toEqual([gpu]);
  });

  it.each([
    ['1, GPU-bb, NVIDIA A100, 81920, ERR!, 60.1, 0', 'GPU 1 reports ERR!'],
    ['1, GPU-bb, NVIDIA A100, 81920, 31, [Unknown Error], 0', 'GPU 1 reports [Unknown Error]'],
    ['1, GPU-bb, NVIDIA A100, [GPU requires reset], 31, [N/A], 0', 'GPU 1 reports [GPU requires reset]'],
    ['1, [GPU is lost], [GPU is lost], [GPU is lost]', 'GPU 1 reports [GPU is lost]'],
    ['1, ERR!, ERR!, ERR!', 'GPU 1 reports ERR!'],
    [
      'Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error',
      'Unable to determine the device handle for GPU 0000:3B:00.0: Unknown Error',
    ],
  ])('with an error is a broken GPU, and no slot: %s', (line, message) => {
    const text = `0, GPU-aa, NVIDIA A100, 81920, 31, 60.1, [N/A]\n${line}\nGPU 1: NVIDIA A100 (UUID: GPU-bb)`;
    expect(parseGpus(text)).toMatchObject([{ uuid: 'GPU-aa', memoryMb: 81920 }]);
    expect(describeBroken(parseBrokenGpus(text))).toBe(
      `${message}: no slot until nvidia-smi shows no error (reset the GPU, or reboot)`,
    );
  });

  it('is a GPU even if it shares the memory of the machine', () => {
    expect(parseGpus('0, GPU-aa, NVIDIA GB10, [N/A]')).toEqual([
      { index: 0, uuid: 'GPU-aa', name: 'NVIDIA GB10', memoryMb: 0 },
    ]);
  });

  it.each<[(string | number)[], string[], (string | number)[]]>([
    [[0], [WHOLE], []],
    [['1'], [LARGE, SMALL], []],
    [[SMALL], [SMALL], []],
    [['GPU-5d5ba'], [WHOLE], []],
    [['MIG-c'], [], ['MIG-c']],
    [[LARGE, 'MIG-c6d', 7], [LARGE], [7]],
  ])('is chosen by %j as by CUDA: by number, UUID, or the beginning of one', (wanted, uuids, missing) => {
    const chosen = chooseGpus(parseGpus(CUT), wanted);
    expect({ uuids: chosen.gpus.map(({ uuid }) => uuid), missing: chosen.missing }).toEqual({ uuids, missing });
  });
});
