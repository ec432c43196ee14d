import { execFile } from "node:child_process";
import { Console } from "node:console";
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { COMPILE_CACHE } from "./compile-cache.ts";

export interface CommandResult {
  code: number;
  /** Both outputs, the errors last. */
  printed: string;
}

/** Thrown instead of ending this process. */
class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super("the command ended");
    this.code = code;
  }
}

/** One command at a time has the environment, the arguments and the console of this process. */
let last: Promise<unknown> = Promise.resolve();
let runs = 0;
const started = new Set<string>();

/**
 * Runs a command of `bin/` with these settings and no others. The first run of each program is a process of its own, as the
 * operator's is; the others load the same file anew into this process, because a process needs two seconds to load the modules
 * that are here already.
 *
 * @param program its path from the root, such as bin/ops.ts
 */
export function runCommand(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<CommandResult> {
  if (!started.has(program)) {
    started.add(program);
    return runAsProcess(program, args, env);
  }
  const result = last.then(() => runHere(program, args, env));
  last = result.catch(() => {});
  return result;
}

/** The same in a process of its own each time: for what takes long or runs beside others. */
export function runAsProcess(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<CommandResult> {
  const options = { env: { ...COMPILE_CACHE, PATH: process.env.PATH, ...env }, maxBuffer: 10_000_000 };
  return new Promise<CommandResult>((done) => {
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), printed: stdout + stderr }),
    );
  });
}

async function runHere(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<CommandResult> {
  const [out, err] = [new Collected(), new Collected()];
  const before = {
    argv: process.argv,
    env: process.env,
    exitCode: process.exitCode,
    exit: process.exit,
    console: globalThis.console,
    writeOut: process.stdout.write,
    writeErr: process.stderr.write,
  };
  process.argv = [process.execPath, resolve(program), ...args];
  process.env = { PATH: process.env.PATH, ...env };
  process.exitCode = undefined;
  process.exit = (code) => {
    throw new Exit(Number(code ?? process.exitCode ?? 0));
  };
  globalThis.console = new Console({ stdout: out, stderr: err, colorMode: false });
  process.stdout.write = (text: string | Uint8Array) => out.write(text);
  process.stderr.write = (text: string | Uint8Array) => err.write(text);
  let code = 0;
  try {
    // Another address is another module, so that it runs once more; what it imports is shared.
    await import(/* @vite-ignore */ `${resolve(program)}?run=${++runs}`);
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    code = error instanceof Exit ? error.code : 1;
    if (!(error instanceof Exit)) err.write(error instanceof Error ? String(error.stack) : String(error));
  } finally {
    Object.assign(process, {
      argv: before.argv,
      env: before.env,
      exitCode: before.exitCode,
      exit: before.exit,
    });
    globalThis.console = before.console;
    process.stdout.write = before.writeOut;
    process.stderr.write = before.writeErr;
  }
  return { code, printed: out.text + err.text };
}

class Collected extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}
