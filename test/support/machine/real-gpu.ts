import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';

const outputOf = (command: string): string =>
  spawnSync('sh', ['-c', command], { encoding: 'utf8', timeout: 20_000 }).stdout.trim();

/** Paths of NVIDIA's tool and of a Python to call the driver with; empty if there is none. */
const [smi = '', python = ''] = ['nvidia-smi', 'python3'].map((name) => outputOf(`command -v ${name}`));
/** UUIDs of the GPUs of this machine, in the tool's order. */
export const GPUS = smi === '' ? [] : outputOf('nvidia-smi --query-gpu=uuid --format=csv,noheader').split('\n');

/** Reason why there is no real GPU to test with; undefined if there is one. */
export const noGpu = ((): string | undefined => {
  if (smi === '' || !GPUS[0]?.startsWith('GPU-')) return 'no NVIDIA GPU here';
  return python === '' ? 'no python3 to call its driver with' : undefined;
})();

/** PATH with the folders of nvidia-smi and python3, and with those of every system. */
export const GPU_PATH = [...[smi, python].filter(Boolean).map(dirname), '/usr/bin', '/bin'].join(':');
/** Library path of the driver, for machines whose linker does not know it. */
export const GPU_ENV: Record<string, string> =
  process.env.LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH };

/**
 * A Python program that uses the driver alone. It fills `mb` MiB of its first GPU with the byte 7 and reads two bytes
 * back. It prints the number of visible GPUs, the UUID of the first GPU, and the two bytes. It keeps the memory for
 * `seconds`.
 */
export const cudaProgram = ({ mb = 256, seconds = 0 } = {}): string => `import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code: sys.exit(f"{name}: CUDA error {code}")
count, device, context, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
uuid, back, size = (ctypes.c_ubyte * 16)(), (ctypes.c_ubyte * 2)(), ${mb} << 20
call("cuInit", 0)
call("cuDeviceGetCount", ctypes.byref(count))
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDeviceGetUuid", uuid, device)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(size))
call("cuMemsetD8_v2", memory, ctypes.c_ubyte(7), ctypes.c_size_t(size))
call("cuMemcpyDtoH_v2", back, ctypes.c_uint64(memory.value + size - 2), ctypes.c_size_t(2))
text = bytes(uuid).hex()
name = "-".join(["GPU", text[:8], text[8:12], text[12:16], text[16:20], text[20:]])
print("of", count.value, name, "read", *back, flush=True)
time.sleep(${seconds})
`;

/** Reason why there is no PyTorch for {@link GPUS}; undefined if there is. */
export const noTorch =
  noGpu ??
  (outputOf('python3 -c "import torch; print(torch.cuda.is_available())"') === 'True' ? undefined : 'no PyTorch');

/** A Python program that trains on the GPU, fed by processes that share its memory, and prints its loss. */
export const TRAINING = `import torch
from torch.utils.data import DataLoader, TensorDataset
if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(65536, 256)
    y = x[:, :8].sin().sum(1, keepdim=True)
    model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 1)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    loader = DataLoader(TensorDataset(x, y), batch_size=1024, shuffle=True, num_workers=4, pin_memory=True)
    for epoch in range(4):
        for inputs, targets in loader:
            loss = ((model(inputs.cuda(non_blocking=True)) - targets.cuda()) ** 2).mean()
            optimizer.zero_grad(); loss.backward(); optimizer.step()
        print("step", epoch + 1, "loss", round(loss.item(), 4), flush=True)
`;
