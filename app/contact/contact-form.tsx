import { ErrorSummary } from "../ui/error-summary.tsx";
import { ChoiceField, Field, TextField } from "../ui/field.tsx";
import { type FormAnswer, useRouteForm } from "../ui/route-form.ts";
import type { contactForm } from "./store.server.ts";
import { TOPICS, type Topic } from "./topics.ts";

/** @param props.openedAt signed, see fill-time.server.ts */
export function ContactForm(props: {
  topic?: Topic;
  openedAt: string;
  showsTrap: boolean;
  result?: FormAnswer;
}) {
  const { form, fields, formProps } = useRouteForm<typeof contactForm>(props.result, {
    id: "contact",
    defaultValue: { topic: props.topic },
  });
  return (
    <form {...formProps} action="/contact" className="grid gap-5">
      {!form.valid && <ErrorSummary title="Your message has not been sent yet" form={form} />}
      <Field field={fields.name} label="Name" input={{ autoComplete: "name" }} />
      <Field
        field={fields.email}
        label="Email address"
        hint="We reply here"
        input={{ type: "email", autoComplete: "email", autoCapitalize: "none", spellCheck: false }}
      />
      <ChoiceField none="Choose one" field={fields.topic} label="What is it about?" choices={TOPICS} />
      <TextField field={fields.message} label="Message" hint="Up to 4,000 characters" rows={8} />
      <Trap isShown={props.showsTrap} />
      <input type="hidden" autoComplete="off" name="opened_at" value={props.openedAt} />
      <div>
        <button type="submit" className="button">
          Send
        </button>
      </div>
      <p className="text-quiet">
        We store your message so that we can answer it. <a href="/privacy#messages">How long we keep it</a>
      </p>
    </form>
  );
}

/** A field only robots fill in. Once filled in it is shown, so that a person whose browser did it can empty it. */
function Trap({ isShown }: { isShown: boolean }) {
  const field = (
    <label className="grid gap-1.5 font-semibold">
      Leave this empty
      <input
        type="text"
        name="extra"
        className="field-input"
        autoComplete="off"
        tabIndex={isShown ? undefined : -1}
      />
    </label>
  );
  if (isShown) return field;
  return (
    <div className="sr-only" aria-hidden="true">
      {field}
    </div>
  );
}
