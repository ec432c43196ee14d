import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

/** Runs one of Podman's commands. @returns what it prints. @throws with what it says when it fails */
export type Podman = (...args: string[]) => Promise<string>;

/** The machine's trusted certificates, for networks that inspect TLS. */
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";

/**
 * Makes what the Dockerfile starts from, where no registry of images can be reached: Debian 13 by debootstrap, and the Node
 * and npm that run this, at the places where the official image has them.
 *
 * @param name in the Dockerfile's FROM
 */
export async function makeBaseImage(podman: Podman, folder: string, name: string): Promise<void> {
  const root = join(folder, "base");
  rmSync(root, { recursive: true, force: true });
  const packages = "--include=ca-certificates,libatomic1,libstdc++6";
  execFileSync("debootstrap", ["--variant=minbase", packages, "trixie", root], { stdio: "ignore" });
  installNode(root);
  copyFileSync(CERTIFICATES, join(root, CERTIFICATES));
  for (const cache of ["var/cache/apt/archives", "var/lib/apt/lists"])
    rmSync(join(root, cache), { recursive: true, force: true });
  const tar = spawn("tar", ["--create", "--directory", root, "--file", join(folder, "base.tar"), "."]);
  await once(tar, "exit");
  const trusting = `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`;
  await podman("import", "--change", 'CMD ["node"]', "--change", trusting, join(folder, "base.tar"), name);
  for (const made of ["base", "base.tar"]) rmSync(join(folder, made), { recursive: true, force: true });
}

function installNode(root: string): void {
  const local = join(root, "usr/local");
  mkdirSync(join(local, "lib/node_modules"), { recursive: true });
  copyFileSync(process.execPath, join(local, "bin/node"));
  cpSync(npmFolder(), join(local, "lib/node_modules/npm"), { recursive: true, verbatimSymlinks: true });
  for (const name of ["npm", "npx"])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, "bin", name));
  execFileSync("chroot", [root, "useradd", "--create-home", "--uid", "1000", "--user-group", "node"]);
}

/** The folder of the npm on the PATH. */
function npmFolder(): string {
  const globals = execFileSync("npm", ["root", "--global"], { encoding: "utf8", stdio: "pipe" }).trim();
  const folder = join(globals, "npm");
  if (existsSync(folder)) return folder;
  return join(dirname(dirname(process.execPath)), "lib/node_modules/npm");
}
