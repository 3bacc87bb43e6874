# fish completion for warpwait: `warpwait complete` says what can follow, from the rows that its parser reads.
function __warpwait_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l joined (string match -r -- '^--[^=]*=' "$word")
    for reply in ($words[1] complete $words[2..-1] "$word" 2>/dev/null)
        switch $reply
            case ':files*' ':folders'
                for path in (__fish_complete_path (string replace -- "$joined" '' "$word"))
                    set -l name (string split \t -- $path)[1]
                    set -l suffixes (string split -n ' ' -- (string replace -r '^:\w+' '' -- $reply))
                    if string match -q -- '*/' $name
                        or test "$reply" = ':files '
                        or contains -- (string replace -r '.*\.' '' -- $name) $suffixes
                        echo "$joined$path"
                    end
                end
            case '*'
                echo $reply
        end
    end
end
complete -c warpwait -f -a '(__warpwait_complete)'
