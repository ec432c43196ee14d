import { deleteUnreadableKeys } from "../../app/auth/keys.server.ts";
import { resealApps } from "../../app/auth/second-factor/authenticator-app.server.ts";
import { answerFrom } from "../open.ts";
import { FAILED, type OpsCommands, OpsError, readArguments } from "./command.ts";

export const commands: OpsCommands = {
  rotate: {
    usage: "rotate",
    summary:
      "Seals with AUTH_SECRET what AUTH_SECRET_BEFORE sealed, and replaces the signing keys. Safe to repeat.",
    run: async (args) => {
      readArguments(args, {});
      return answerFrom(async ({ db }, config) => {
        if (config.authSecrets.length === 1)
          throw new OpsError("AUTH_SECRET_BEFORE is not set: set it to the secret that AUTH_SECRET replaces");
        const { sealed, unreadable } = await resealApps({ config, db });
        const keys = await deleteUnreadableKeys(db, [config.authSecret]);
        const text = [
          `${sealed} authenticator apps sealed with AUTH_SECRET, ${keys} signing keys replaced`,
          unreadable > 0 &&
            `${unreadable} authenticator apps were sealed with another secret than AUTH_SECRET or AUTH_SECRET_BEFORE: ` +
              "set AUTH_SECRET_BEFORE to that one and repeat this. Until then their codes are wrong; recovery codes are right",
        ];
        return {
          text: text.filter(Boolean).join("\n"),
          data: { sealed, keys, unreadable },
          exitCode: unreadable > 0 ? FAILED : 0,
        };
      });
    },
  },
};
