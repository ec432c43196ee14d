import { execFile } from "node:child_process";
import { Console } from "node:console";
import { resolve } from "node:path";
import { Writable } from "node:stream";
import { COMPILE_CACHE } from "./compile-cache.ts";

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
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

/**
 * What runs the commands of `bin/` for a test file, with these settings and no others. The first run of each is a process of
 * its own, as the operator's is; the others load the same file anew into this process, because half a second of a
 * process's work goes into loading the modules that are here already.
 */
export function createCommands(): (
  program: string,
  args: readonly string[],
  env: Record<string, string>,
) => Promise<CommandResult> {
  const started = new Set<string>();
  return (program, args, env) => {
    if (!started.has(program)) {
      started.add(program);
      return runAsProcess(program, args, env);
    }
    const result = last.then(() => runHere(program, args, env));
    last = result.catch(() => {});
    return result;
  };
}

function runAsProcess(program: string, args: readonly string[], env: Record<string, string>) {
  const options = { env: { ...COMPILE_CACHE, PATH: process.env.PATH, ...env }, maxBuffer: 10_000_000 };
  return new Promise<CommandResult>((done) => {
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      done({ code: Number(error?.code ?? 0), stdout, stderr }),
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
  return { code, stdout: out.text, stderr: err.text };
}

class Collected extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}
